import Encoding

/// Values for EXT-X-DEFINE from outside the playlist (RFC 8216bis §4.4.2.3).
package struct VariableSource: Sendable, Equatable {
    /// The query of the playlist's URL after redirects, without `?`.
    package var query: String
    /// The variables of the multivariant playlist that refers to this one.
    package var imports: [String: String]
    /// Whether variables from outside may be unknown, as for a file without its URL: they are empty then.
    package var mayLackValues = false

    package init(query: String = "", imports: [String: String] = [:]) {
        self.query = query
        self.imports = imports
    }

    /// Reads the query of a URL.
    package init(url: String, imports: [String: String] = [:]) {
        let bytes = url.utf8.prefix { $0 != ASCII.hash }
        let query = bytes.firstIndex(of: UInt8(ascii: "?")).map { bytes[bytes.index(after: $0)...] }
        self.init(query: query.map { String(decoding: $0, as: UTF8.self) } ?? "", imports: imports)
    }

    /// The percent-decoded value of the first query parameter with this name.
    func queryParameter(_ name: String) -> String? {
        for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: ASCII.equals, maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = parts.first, Self.decoded(first) == name else { continue }
            return parts.count > 1 ? Self.decoded(parts[1]) : ""
        }
        return nil
    }

    /// Percent-decoding; a percent sign without two hexadecimal digits stays as it is.
    private static func decoded(_ text: Substring.UTF8View) -> String {
        var result: [UInt8] = []
        var cursor = ByteCursor(Array(text)[...])
        while let byte = cursor.current {
            cursor.advance()
            guard byte == ASCII.percent, let value = hexadecimalPair(cursor.rest) else {
                result.append(byte)
                continue
            }
            result.append(value)
            cursor.advance()
            cursor.advance()
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func hexadecimalPair(_ bytes: ArraySlice<UInt8>) -> UInt8? {
        let digits = bytes.prefix(2).compactMap(Hexadecimal.value)
        return digits.count == 2 ? digits[0] << 4 | digits[1] : nil
    }
}
