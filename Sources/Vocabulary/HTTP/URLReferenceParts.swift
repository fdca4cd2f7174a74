/// Parsing of references (RFC 3986 appendix B) and escaping of illegal bytes.
extension URLReference {
    /// Removes a scheme and its colon from the beginning, if there is one.
    static func removeScheme(from rest: inout ArraySlice<UInt8>) -> String? {
        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), let first = rest.first, first.isLetter
        else { return nil }
        let name = rest[..<colon]
        guard name.allSatisfy({ $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }) else { return nil }
        rest = rest[(colon + 1)...]
        return String(decoding: name.map(\.lowercased), as: UTF8.self)
    }

    /// Removes the text between "//" and the next slash or query.
    static func removeAuthority(from rest: inout ArraySlice<UInt8>) -> String? {
        guard rest.starts(with: "//".utf8) else { return nil }
        let authority = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        rest = rest[authority.endIndex...]
        return String(decoding: authority, as: UTF8.self)
    }

    /// The bytes with illegal ones escaped; a "%" that does not begin an escape is escaped too.
    static func legal(_ bytes: ArraySlice<UInt8>, isPath: Bool) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for index in bytes.indices {
            let byte = bytes[index]
            let isLegal =
                byte == UInt8(ascii: "%") ? beginsEscape(bytes, index) : isLegal(byte, isPath: isPath)
            PercentEncoding.append(byte, escaping: !isLegal, to: &result)
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func beginsEscape(_ bytes: ArraySlice<UInt8>, _ index: Int) -> Bool {
        index + 2 < bytes.endIndex && bytes[index + 1].hexValue != nil && bytes[index + 2].hexValue != nil
    }

    /// pchar and "/", in a query also "?" (RFC 3986 §3.3, §3.4).
    private static func isLegal(_ byte: UInt8, isPath: Bool) -> Bool {
        byte.isUnreserved || byte.isSubDelimiter || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "@")
            || byte == UInt8(ascii: "/") || (!isPath && byte == UInt8(ascii: "?"))
    }
}
