import HTTP

/// The status line and the fields of a response.
struct ResponseHead: Equatable, Sendable {
    var status: HTTPStatus
    var headers = HTTPHeaders()

    var isError: Bool { status.rawValue >= 400 }

    /// The announced length of the body, in bytes; nil when there is none or the body is encoded.
    var bodyByteCount: Int? {
        headers["Content-Encoding"] == nil ? headers["Content-Length"].flatMap { Int($0) } : nil
    }

    /// Whether only the end of the connection, or of its stream, ends the body (RFC 9112 §6.3).
    var endsWithConnection: Bool { headers["Content-Length"] == nil && headers["Transfer-Encoding"] == nil }

    /// The target of a redirect; nil when the response is none (RFC 9110 §15.4).
    var redirectLocation: String? {
        switch status.rawValue {
        case 301, 302, 303, 307, 308: headers["Location"].flatMap { $0.isEmpty ? nil : $0 }
        default: nil
        }
    }
}

/// Assembles a response head from its lines as curl delivers them.
struct HeadParser {
    private var head: ResponseHead?
    private var byteCount = 0
    private var isComplete = false

    enum Answer: Equatable {
        case more
        case complete(ResponseHead)
        case tooLarge
    }

    /// Reads one line with its line end.
    ///
    /// Interim responses (1xx) and trailers count towards the limit and are left out.
    mutating func read(_ line: [UInt8]) -> Answer {
        byteCount += line.count
        guard byteCount <= Limits.headByteCount else { return .tooLarge }
        guard !isComplete else { return .more }
        let text = line.trimmed
        if let status = Self.status(of: text) {
            head = ResponseHead(status: status)
        } else if text.isEmpty {
            return endOfHead()
        } else {
            readField(text)
        }
        return .more
    }

    private mutating func endOfHead() -> Answer {
        guard let head, head.status.rawValue >= 200 else { return .more }
        isComplete = true
        return .complete(head)
    }

    private mutating func readField(_ line: ArraySlice<UInt8>) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        let value = String(decoding: line[(colon + 1)...].trimmed, as: UTF8.self)
        head?.headers.append(name, value)
    }

    /// `HTTP/1.1 200 OK` and `HTTP/2 200`; nil for any other line.
    ///
    /// Text after the three digits is ignored, as in curl.
    private static func status(of line: ArraySlice<UInt8>) -> HTTPStatus? {
        guard line.starts(with: "HTTP/".utf8) else { return nil }
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count > 1, let code = Int(String(decoding: words[1].prefix(3), as: UTF8.self)),
            code >= 100
        else { return nil }
        return HTTPStatus(rawValue: code)
    }
}

extension [UInt8] {
    /// Whether the line is a Set-Cookie field.
    var isSetCookie: Bool { starts(with: "set-cookie:".utf8) { $0 | 0x20 == $1 } }
}

extension BidirectionalCollection where Element == UInt8, SubSequence == ArraySlice<UInt8> {
    /// Without surrounding white space and line ends.
    fileprivate var trimmed: ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        guard let last = lastIndex(where: { !isBlank($0) }) else { return self[endIndex...] }
        return self[...last].drop(while: isBlank)
    }
}
