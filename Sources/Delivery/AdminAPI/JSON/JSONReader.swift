import HTTP
import JSON

/// Reads JSON (RFC 8259) strictly: one value, UTF-8, unique names in an object, bounded depth.
struct JSONReader {
    let bytes: [UInt8]
    var position = 0
    private var depth = 0

    static func value(of bytes: [UInt8]) throws(Problem) -> JSONValue {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw .unreadable("the body is not UTF-8")
        }
        var reader = JSONReader(bytes: bytes)
        reader.skipBlanks()
        let value = try reader.value(at: .root)
        reader.skipBlanks()
        guard reader.position == bytes.count else { throw reader.fault("there is more text after the value") }
        return value
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func value(at place: JSONPointer) throws(Problem) -> JSONValue {
        switch peek {
        case UInt8(ascii: "{"): return try nested { (reader) throws(Problem) in try reader.object(at: place) }
        case UInt8(ascii: "["): return try nested { (reader) throws(Problem) in try reader.array(at: place) }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func nested(
        _ read: (inout JSONReader) throws(Problem) -> JSONValue
    ) throws(Problem) -> JSONValue {
        depth += 1
        guard depth <= Limits.jsonDepth else { throw fault("it is nested deeper than \(Limits.jsonDepth)") }
        position += 1
        let value = try read(&self)
        depth -= 1
        return value
    }

    private mutating func object(at place: JSONPointer) throws(Problem) -> JSONValue {
        var members: [JSONValue.Member] = []
        var names: Set<String> = []
        skipBlanks()
        if take(UInt8(ascii: "}")) { return .object(members) }
        repeat {
            skipBlanks()
            guard peek == UInt8(ascii: "\"") else { throw fault("the name of a member is missing") }
            let name = try string()
            let inner = place.appending(name)
            guard names.insert(name).inserted else { throw .invalid([Fault(inner, "is given twice")]) }
            skipBlanks()
            guard take(UInt8(ascii: ":")) else { throw fault("a colon is missing") }
            skipBlanks()
            members.append(JSONValue.Member(name: name, value: try value(at: inner)))
            skipBlanks()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw fault("an object does not end") }
        return .object(members)
    }

    private mutating func array(at place: JSONPointer) throws(Problem) -> JSONValue {
        var values: [JSONValue] = []
        skipBlanks()
        if take(UInt8(ascii: "]")) { return .array(values) }
        repeat {
            skipBlanks()
            values.append(try value(at: place.appending(values.count)))
            skipBlanks()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw fault("an array does not end") }
        return .array(values)
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(Problem) -> JSONValue {
        guard bytes[position...].starts(with: word.utf8) else { throw fault("a value is missing") }
        position += word.utf8.count
        return value
    }
}

extension JSONReader {
    var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    mutating func skipBlanks() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    func fault(_ reason: String) -> Problem {
        .unreadable("the body is not JSON: \(reason) (byte \(position))")
    }
}
