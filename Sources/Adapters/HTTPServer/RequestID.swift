import HTTP

/// The id of a request, by which an answer, the access log and the log of a proxy can be brought together.
enum RequestID {
    static let field = "X-Request-Id"

    /// The id that a trusted proxy gave, else a new one of 16 hexadecimal digits.
    ///
    /// Others could write anything into the log, so their ids are not used.
    static func of(_ headers: HTTPHeaders, isTrusted: Bool) -> String {
        let given = isTrusted ? headers.values(of: field) : []
        if given.count == 1, isReadable(given[0]) { return given[0] }
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    private static func isReadable(_ text: String) -> Bool {
        (1...Limits.requestIDBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy { isTokenByte($0) || $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") }
    }
}
