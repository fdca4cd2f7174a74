import HTTP

/// A parsed request target (RFC 9112 §3.2).
struct RequestTarget: Equatable {
    /// Percent-encoded except for unreserved characters.
    var path: String
    /// As sent.
    var query: String?
    /// The authority of an absolute-form target; it replaces the Host field (RFC 9112 §3.2.2).
    var authority: String?

    /// Reads origin-form, absolute-form and, for OPTIONS, the asterisk; nil for anything else.
    ///
    /// In absolute-form the host and the port have to be valid. Any valid host is accepted, since a client
    /// may know this server by any name.
    static func reading(_ bytes: [UInt8], isOptions: Bool) -> RequestTarget? {
        // A target is visible ASCII; everything else has to be percent-encoded (RFC 3986 §2).
        guard !bytes.isEmpty, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        if bytes[0] == slash { return origin(bytes[...]) }
        if bytes == [asterisk] { return isOptions ? RequestTarget(path: "*") : nil }
        return absolute(bytes)
    }

    private static let slash = UInt8(ascii: "/")
    private static let asterisk = UInt8(ascii: "*")
    private static let numberSign = UInt8(ascii: "#")
    private static let questionMark = UInt8(ascii: "?")
    private static let percentSign = UInt8(ascii: "%")

    private static func origin(_ bytes: ArraySlice<UInt8>) -> RequestTarget {
        guard let mark = bytes.firstIndex(of: questionMark) else {
            return RequestTarget(path: plainPath(bytes))
        }
        return RequestTarget(path: plainPath(bytes[..<mark]), query: text(bytes[(mark + 1)...]))
    }

    private static func absolute(_ bytes: [UInt8]) -> RequestTarget? {
        guard let start = authorityStart(bytes) else { return nil }
        let end = bytes[start...].firstIndex { $0 == slash || $0 == questionMark } ?? bytes.endIndex
        // Names of users make links that mislead (RFC 9110 §4.2.4).
        guard end > start, !bytes.contains(numberSign), let url = try? HTTPURL(text(bytes[..<end])),
            url.userInfo == nil
        else { return nil }
        // An absolute target without a path means "/" (RFC 9110 §4.2.3).
        var target = origin(bytes[end...])
        if target.path.isEmpty { target.path = "/" }
        target.authority = text(bytes[start..<end])
        return target
    }

    /// Where the authority begins after "http://" or "https://", in any case.
    private static func authorityStart(_ bytes: [UInt8]) -> Int? {
        for scheme in ["http://", "https://"] {
            let lowered = bytes.prefix(scheme.utf8.count).map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
            if lowered.elementsEqual(scheme.utf8) { return lowered.count }
        }
        return nil
    }

    private static func plainPath(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.contains(percentSign) ? PercentEncoding.normalized(text(bytes)) : text(bytes)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
