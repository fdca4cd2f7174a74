/// User information, host and port of a URL (RFC 3986 §3.2).
struct URLAuthority: Hashable, Sendable {
    /// As written, with illegal bytes escaped.
    var userInfo: String?
    /// In lower case; an IPv6 address with its brackets.
    var host: String
    var port: UInt16?

    init(reading text: String) throws(HTTPURLError) {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count <= 2, let place = parts.last else { throw .ambiguousUserInfo }
        userInfo = parts.count == 2 ? URLReference.legal(Array(parts[0])[...], isPath: false) : nil
        let bytes = Array(place)
        let hostEnd = Self.hostEnd(bytes)
        guard hostEnd > 0 else { throw .missingHost }
        host = String(decoding: bytes[..<hostEnd].map(\.lowercased), as: UTF8.self)
        guard Self.isHost(bytes[..<hostEnd]) else { throw .invalidHost }
        port = try Self.port(bytes[hostEnd...])
    }

    private static func hostEnd(_ bytes: [UInt8]) -> Int {
        if bytes.first == UInt8(ascii: "["), let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) {
            return bracket + 1
        }
        return bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
    }

    /// A bracketed IPv6 address, or letters, digits and the few marks of host names.
    ///
    /// Escapes and sub-delimiters, which the standard allows, are refused: resolvers and address checks would
    /// read them differently.
    private static func isHost(_ bytes: ArraySlice<UInt8>) -> Bool {
        if bytes.first == UInt8(ascii: "[") {
            return IPv6Literal.isValid(bytes.dropFirst().dropLast())
        }
        return bytes.allSatisfy { $0.isLetter || $0.isDigit || "-._".utf8.contains($0) }
    }

    /// `:` and digits; nothing, or no digits, means the default port.
    private static func port(_ bytes: ArraySlice<UInt8>) throws(HTTPURLError) -> UInt16? {
        if bytes.isEmpty { return nil }
        guard bytes.first == UInt8(ascii: ":") else { throw .invalidHost }
        if bytes.count == 1 { return nil }
        guard let value = saturatingDecimal(bytes.dropFirst()), let port = UInt16(exactly: value), port > 0
        else { throw .invalidPort }
        return port
    }
}
