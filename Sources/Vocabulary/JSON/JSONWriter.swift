extension JSONValue {
    /// The value as JSON text in UTF-8, without white space; members keep their order.
    ///
    /// A number that JSON cannot express (infinite, not a number) is written as null.
    /// Characters that could begin a line or control a terminal are written as escapes.
    package var bytes: [UInt8] {
        var text: [UInt8] = []
        write(to: &text)
        return text
    }

    private func write(to text: inout [UInt8]) {
        switch self {
        case .null: text += "null".utf8
        case .bool(let value): text += (value ? "true" : "false").utf8
        case .integer(let value): text += String(value).utf8
        case .unsigned(let value): text += String(value).utf8
        case .number(let value): text += (value.isFinite ? "\(value)" : "null").utf8
        case .string(let value): Self.write(value, to: &text)
        case .array(let values): Self.write(values, to: &text)
        case .object(let members): Self.write(members, to: &text)
        }
    }

    private static func write(_ values: [JSONValue], to text: inout [UInt8]) {
        text.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            value.write(to: &text)
        }
        text.append(UInt8(ascii: "]"))
    }

    private static func write(_ members: [Member], to text: inout [UInt8]) {
        text.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            write(member.name, to: &text)
            text.append(UInt8(ascii: ":"))
            member.value.write(to: &text)
        }
        text.append(UInt8(ascii: "}"))
    }

    private static func write(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"", "\\": text += [UInt8(ascii: "\\"), UInt8(scalar.value)]
            case _ where mustEscape(scalar): text += escape(scalar).utf8
            case _ where scalar.isASCII: text.append(UInt8(scalar.value))
            default: text += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
        }
        text.append(UInt8(ascii: "\""))
    }

    /// Control characters (C0, DEL, C1), the line separators, and marks that reorder text on a terminal.
    private static func mustEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Four digits suffice, as each escaped character is in the basic plane.
    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
