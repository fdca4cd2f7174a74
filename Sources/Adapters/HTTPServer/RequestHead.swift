import CMicrohttpd
import Glibc
import HTTP

/// A request whose header has been read and validated.
struct RequestHead {
    var request: HTTPRequest
    var body: BodyLength
    /// Bytes of the connection's memory that the library uses for it.
    var memoryUse: Int

    enum BodyLength: Equatable {
        case none
        case exactly(UInt64)
        case chunked
    }
}

/// A request that is answered without the handler; its connection is closed.
struct Refusal: Error {
    var response: HTTPResponse

    static func bad(_ detail: String) -> Refusal {
        Refusal(response: ServerResponses.badRequest(detail))
    }
}

/// The pointers of a request from the library, into the connection's memory.
@safe struct RawRequest {
    let connection: ConnectionHandle
    let method: UnsafePointer<CChar>
    let url: UnsafePointer<CChar>
    let version: UnsafePointer<CChar>
    /// The target as sent; the library has modified its own copy.
    let target: [UInt8]
}

extension RawRequest {
    /// Reads and validates the request line and header, because the library is lax (RFC 9112 §2.2, §3.2, §6).
    func head(limits: Limits, remoteAddress: String, client: String) throws(Refusal) -> RequestHead {
        let method = try requestMethod()
        guard let target = RequestTarget.reading(target, isOptions: method == .options) else {
            throw .bad("the request target is malformed")
        }
        let block = HeaderBlock.reading(connection, from: lineEnd)
        try check(block)
        let memoryUse = memoryUse(block)
        let limit = limits.connectionMemory - limits.responseHeader
        guard memoryUse <= limit else {
            let left = limits.connectionMemory - memoryUse
            throw Refusal(response: ServerResponses.headerTooLarge(limit: limit, left: left))
        }
        var fields = block.fields
        try checkHost(fields)
        if let authority = target.authority { fields["Host"] = authority }
        let request = HTTPRequest(
            method: method, path: target.path, query: target.query, headers: fields,
            remoteAddress: remoteAddress, client: client)
        return RequestHead(request: request, body: try bodyLength(fields), memoryUse: memoryUse)
    }

    /// Method, path and query of a request that is refused, as far as they can be read.
    func line(remoteAddress: String, client: String) -> HTTPRequest {
        let method = (try? requestMethod()) ?? HTTPMethod(rawValue: "")
        let target = RequestTarget.reading(target, isOptions: method == .options)
        return HTTPRequest(
            method: method, path: target?.path ?? "", query: target?.query, headers: [:],
            remoteAddress: remoteAddress, client: client)
    }

    private var isHTTP10: Bool { unsafe strcmp(version, "HTTP/1.0") == 0 }

    /// Where the header has to begin: after the version and its CR LF.
    private var lineEnd: UInt { unsafe UInt(bitPattern: version) + 8 + 2 }

    private func requestMethod() throws(Refusal) -> HTTPMethod {
        let name = unsafe UnsafeRawBufferPointer(start: method, count: strlen(method))
        guard unsafe !name.isEmpty, unsafe name.allSatisfy({ isTokenByte($0) }) else {
            throw .bad("the method is not a token")
        }
        let start = unsafe UInt(bitPattern: url)
        let isWhole =
            unsafe start == UInt(bitPattern: method) + UInt(name.count) + 1
            && start + UInt(target.count) + 1 == UInt(bitPattern: version)
        guard isWhole else { throw .bad("the request line is malformed") }
        return HTTPMethod(rawValue: unsafe String(decoding: name, as: UTF8.self))
    }

    private func check(_ block: HeaderBlock) throws(Refusal) {
        if let fault = block.fault { throw .bad(fault) }
        let end = unsafe UInt(bitPattern: method) + UInt(connection.headerByteCount)
        guard block.next + 2 == end else { throw .bad("the header has a folded or hidden line") }
    }

    private func memoryUse(_ block: HeaderBlock) -> Int {
        let records = block.count * Limits.fieldOverhead
        // The library copies cookies and keeps a record for each.
        let cookies = block.cookieByteCount + block.cookieCount * Limits.fieldOverhead
        return connection.headerByteCount + records + cookies
    }

    private func checkHost(_ fields: HTTPHeaders) throws(Refusal) {
        let hosts = fields.values(of: "Host")
        if hosts.count > 1 { throw .bad("there is more than one Host field") }
        guard let host = hosts.first else {
            if isHTTP10 { return }
            throw .bad("the Host field is missing")
        }
        for byte in host.utf8 where !Self.isHostByte(byte) { throw .bad("the Host field is no host") }
    }

    /// A byte of a host, its brackets and the colon of its port (RFC 3986 §3.2.2).
    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x21, 0x24...0x2E, 0x3A, 0x3B, 0x3D, 0x5B, 0x5D, 0x5F, 0x7E: true
        default: false
        }
    }

    /// The length of the body (RFC 9112 §6.3).
    ///
    /// Anything that two implementations could read differently is refused.
    private func bodyLength(_ fields: HTTPHeaders) throws(Refusal) -> RequestHead.BodyLength {
        let codings = fields.values(of: "Transfer-Encoding")
        let lengths = fields.values(of: "Content-Length")
        if !codings.isEmpty && !lengths.isEmpty {
            throw .bad("both Content-Length and Transfer-Encoding are given")
        }
        if codings.count > 1 || lengths.count > 1 { throw .bad("the length of the body is given twice") }
        if let coding = codings.first {
            if isHTTP10 { throw .bad("HTTP/1.0 has no Transfer-Encoding") }
            guard coding.lowercased() == "chunked" else {
                throw Refusal(response: ServerResponses.unknownCoding)
            }
            return .chunked
        }
        guard let text = lengths.first else { return .none }
        guard text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let length = UInt64(text) else {
            throw .bad("Content-Length is not a number")
        }
        return length == 0 ? .none : .exactly(length)
    }
}
