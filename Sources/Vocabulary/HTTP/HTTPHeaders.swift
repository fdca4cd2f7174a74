/// Header fields in their order; names are compared without case (RFC 9110 §5.1).
package struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    package private(set) var fields: [Field] = []

    package struct Field: Sendable, Equatable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            (self.name, self.value) = (name, value)
        }

        /// A token as name, and no control character in the value (RFC 9110 §5.5, §5.6.2).
        package var canBeSent: Bool {
            !name.isEmpty && name.utf8.allSatisfy(\.isTokenByte) && Self.isContent(value)
        }

        /// Whether a text can be the value of a field.
        package static func isContent(_ value: String) -> Bool {
            value.utf8.allSatisfy { $0 == 0x09 || !$0.isControl }
        }
    }

    package init() {}

    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The first value of a field.
    ///
    /// Setting it replaces all values; nil removes the field.
    package subscript(name: String) -> String? {
        get {
            let span = fields.span
            for index in span.indices where Self.same(span[index].name, name) { return span[index].value }
            return nil
        }
        set {
            fields.removeAll { Self.same($0.name, name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// All values of a field, in order.
    package func values(of name: String) -> [String] {
        var values: [String] = []
        // A span does not copy the fields that it passes over.
        let span = fields.span
        for index in span.indices where Self.same(span[index].name, name) {
            values.append(span[index].value)
        }
        return values
    }

    /// Whether a request wants its resource as it is: it has no condition and no range.
    package var isUnconditional: Bool {
        fields.allSatisfy { field in
            let name = field.name.utf8
            guard let first = name.first?.lowercased, first == 0x69 || first == 0x72 else { return true }
            return !Self.same(field.name, "Range") && !Self.same(String(field.name.prefix(3)), "If-")
        }
    }

    /// Appends a field line.
    package mutating func append(_ name: consuming String, _ value: consuming String) {
        fields.append(Field(name: name, value: value))
    }

    /// Makes room for a number of field lines, so that none has to be moved while others are appended.
    package mutating func reserve(_ count: Int) {
        fields.reserveCapacity(count)
    }

    /// ASCII comparison without case, which suffices because field names are tokens.
    private static func same(_ a: String, _ b: String) -> Bool {
        let left = a.utf8
        let right = b.utf8
        guard left.count == right.count else { return false }
        return zip(left, right).allSatisfy { $0.lowercased == $1.lowercased }
    }
}
