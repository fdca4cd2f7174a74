/// Reading of comma-separated and semicolon-separated field values (RFC 9110 §5.6).
enum FieldList {
    /// The elements of a list over all lines of a field, without surrounding blanks; empty elements are left
    /// out.
    ///
    /// Separators inside quoted strings do not count.
    static func elements(of values: [String], separator: Character = ",") -> [Substring] {
        values.flatMap { split($0[...], at: separator.asciiValue ?? UInt8(ascii: ",")) }.filter {
            !$0.isEmpty
        }
    }

    /// The parts between separators outside quoted strings, without surrounding blanks.
    static func split(_ value: Substring, at separator: UInt8) -> [Substring] {
        var parts: [Substring] = []
        var start = value.startIndex
        var quoted = false
        var escaped = false
        for index in value.utf8.indices {
            let byte = value.utf8[index]
            if escaped {
                escaped = false
            } else if quoted && byte == UInt8(ascii: "\\") {
                escaped = true
            } else if byte == UInt8(ascii: "\"") {
                quoted.toggle()
            } else if byte == separator && !quoted {
                parts.append(trimmed(value[start..<index]))
                start = value.utf8.index(after: index)
            }
        }
        parts.append(trimmed(value[start...]))
        return parts
    }

    /// The value without surrounding blanks (OWS, RFC 9110 §5.6.3).
    static func trimmed(_ value: Substring) -> Substring {
        let bytes = value.utf8
        guard let first = bytes.firstIndex(where: { !$0.isBlank }) else { return value[value.endIndex...] }
        let last = bytes.lastIndex { !$0.isBlank } ?? first
        return value[first...last]
    }

    /// The parameter `name=value` of one part; names in lower case, quoted strings unquoted; nil when
    /// malformed.
    static func parameter(_ part: Substring) -> (name: String, value: String)? {
        guard let equals = part.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let name = part[..<equals]
        guard isToken(name), let value = unquoted(part[part.utf8.index(after: equals)...]) else { return nil }
        return (lowercasedASCII(name), value)
    }

    static func isToken(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(\.isTokenByte)
    }

    /// A token as it is, or the content of a quoted string (RFC 9110 §5.6.4).
    static func unquoted(_ text: Substring) -> String? {
        if isToken(text) { return String(text) }
        let bytes = Array(text.utf8)
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return nil
        }
        var content: [UInt8] = []
        var escaped = false
        for byte in bytes[1..<(bytes.count - 1)] {
            if !escaped && byte == UInt8(ascii: "\\") {
                escaped = true
            } else if !escaped && byte == UInt8(ascii: "\"") {
                return nil
            } else {
                content.append(byte)
                escaped = false
            }
        }
        return escaped ? nil : String(decoding: content, as: UTF8.self)
    }
}
