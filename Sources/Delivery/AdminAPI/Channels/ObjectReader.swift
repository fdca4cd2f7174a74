import JSON
import Timeline

/// Reads the fields of one JSON object and collects everything that is wrong with them.
struct ObjectReader {
    let place: JSONPointer
    private(set) var faults: [Fault] = []
    private var members: [String: JSONValue]
    private let order: [String]

    /// Starts reading; a value that is not an object has no fields and one fault.
    init(_ value: JSONValue, at place: JSONPointer) {
        self.place = place
        guard case .object(let list) = value else {
            members = [:]
            order = []
            faults = [Fault(place, "must be an object, not \(value.typeName)")]
            return
        }
        members = Dictionary(list.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        order = list.map(\.name)
    }

    /// The value of a field, which counts as read; nil when it is absent.
    mutating func take(_ name: String) -> JSONValue? {
        members.removeValue(forKey: name)
    }

    /// Takes a field that is null; false when it is absent or has another value.
    mutating func takeNull(_ name: String) -> Bool {
        guard members[name] == .null else { return false }
        members[name] = nil
        return true
    }

    mutating func fail(_ name: String, _ detail: String) {
        faults.append(Fault(place.appending(name), detail))
    }

    mutating func add(_ more: [Fault]) {
        faults += more
    }

    /// Reports every field that has not been read as unknown.
    mutating func refuseUnknownFields() {
        for name in order where members[name] != nil { fail(name, "is unknown") }
        members = [:]
    }
}

/// Fields by type: nil when they are absent or wrong; a wrong one leaves a fault.
extension ObjectReader {
    mutating func string(_ name: String) -> String? {
        switch take(name) {
        case nil: return nil
        case .string(let text)?: return text
        case let other?:
            fail(name, "must be a string, not \(other.typeName)")
            return nil
        }
    }

    /// A text on one line.
    mutating func line(_ name: String, characters: ClosedRange<Int>) -> String? {
        guard let text = string(name) else { return nil }
        guard characters.contains(text.unicodeScalars.count) else {
            fail(name, "must have \(characters.lowerBound) to \(characters.upperBound) characters")
            return nil
        }
        guard !text.hasControlCharacter else {
            fail(name, "must not contain control characters")
            return nil
        }
        return text
    }

    mutating func bool(_ name: String) -> Bool? {
        switch take(name) {
        case nil: return nil
        case .bool(let value)?: return value
        case let other?:
            fail(name, "must be true or false, not \(other.typeName)")
            return nil
        }
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int64>) -> Int64? {
        guard let value = take(name) else { return nil }
        return integer(value, of: name, in: range, orNull: "")
    }

    /// An integer or null: the outer nil means "absent or wrong", the inner nil means null.
    mutating func nullableInteger(_ name: String, in range: ClosedRange<Int64>) -> Int64?? {
        switch take(name) {
        case nil: return nil
        case .null?: return .some(nil)
        case let value?: return integer(value, of: name, in: range, orNull: "null or ").map { $0 }
        }
    }

    private mutating func integer(
        _ value: JSONValue, of name: String, in range: ClosedRange<Int64>, orNull: String,
    ) -> Int64? {
        guard case .integer(let number) = value, range.contains(number) else {
            fail(name, "must be \(orNull)an integer from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    /// One word of a closed list.
    mutating func choice<Choice>(_ name: String, of type: Choice.Type) -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        guard let value = take(name) else { return nil }
        if case .string(let word) = value, let choice = Choice(rawValue: word) { return choice }
        fail(name, "must be " + Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or "))
        return nil
    }
}

extension String {
    var hasControlCharacter: Bool {
        unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }
}
