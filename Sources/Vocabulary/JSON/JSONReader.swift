/// Reads JSON (RFC 8259) strictly: one value, UTF-8, unique names in an object, bounded depth.
package struct JSONReader {
    /// Levels of nested arrays and objects.
    static let depthLimit = 16

    let bytes: [UInt8]
    var position = 0
    private var depth = 0

    /// The one value of a text.
    package static func value(of bytes: [UInt8]) throws(JSONError) -> JSONValue {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .notUTF8 }
        var reader = JSONReader(bytes: bytes)
        reader.skipBlanks()
        let value = try reader.value(at: [])
        reader.skipBlanks()
        guard reader.position == bytes.count else { throw reader.fault("there is more text after the value") }
        return value
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func value(at place: [String]) throws(JSONError) -> JSONValue {
        switch peek {
        case UInt8(ascii: "{"):
            return try nested { (reader) throws(JSONError) in try reader.object(at: place) }
        case UInt8(ascii: "["):
            return try nested { (reader) throws(JSONError) in try reader.array(at: place) }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func nested(
        _ read: (inout JSONReader) throws(JSONError) -> JSONValue
    ) throws(JSONError) -> JSONValue {
        depth += 1
        guard depth <= Self.depthLimit else { throw fault("it is nested deeper than \(Self.depthLimit)") }
        position += 1
        let value = try read(&self)
        depth -= 1
        return value
    }

    private mutating func object(at place: [String]) throws(JSONError) -> JSONValue {
        var members: [JSONValue.Member] = []
        var names: Set<String> = []
        skipBlanks()
        if take(UInt8(ascii: "}")) { return .object(members) }
        repeat {
            skipBlanks()
            guard peek == UInt8(ascii: "\"") else { throw fault("the name of a member is missing") }
            let name = try string()
            let inner = place + [name]
            guard names.insert(name).inserted else { throw .repeatedName(path: inner) }
            skipBlanks()
            guard take(UInt8(ascii: ":")) else { throw fault("a colon is missing") }
            skipBlanks()
            members.append(JSONValue.Member(name: name, value: try value(at: inner)))
            skipBlanks()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw fault("an object does not end") }
        return .object(members)
    }

    private mutating func array(at place: [String]) throws(JSONError) -> JSONValue {
        var values: [JSONValue] = []
        skipBlanks()
        if take(UInt8(ascii: "]")) { return .array(values) }
        repeat {
            skipBlanks()
            values.append(try value(at: place + ["\(values.count)"]))
            skipBlanks()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw fault("an array does not end") }
        return .array(values)
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
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

    func fault(_ reason: String) -> JSONError {
        .malformed(reason, position: position)
    }
}

/// Why a text was not read.
package enum JSONError: Error, Hashable, Sendable {
    case notUTF8
    /// The reason and the byte, from 0.
    case malformed(String, position: Int)
    /// A name stands twice in an object; the path is that of the second member.
    case repeatedName(path: [String])
}
