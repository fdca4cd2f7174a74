package import HTTP

/// Calls a handler as a server does, and reads what it answers.
///
/// What any server adds is added here: whether a body is admitted, the length of a body, and that a response
/// to HEAD has none (RFC 9110 §8.6, §9.3.2).
struct HandlerTransport: APITransport {
    let handler: any HTTPHandler

    func response(to request: HTTPRequest) async throws -> ReceivedResponse {
        let answer = await answer(to: request)
        var received = ReceivedResponse(status: answer.status.rawValue)
        received.headers = answer.headers
        let hasContent = received.status != 204 && received.status != 304
        if hasContent, let length = answer.body.length {
            received.headers["Content-Length"] = String(length)
        }
        if hasContent, request.method != .head { received.body = try await answer.body.bytes() }
        return received
    }

    private func answer(to request: HTTPRequest) async -> HTTPResponse {
        if !request.body.isEmpty {
            switch handler.admitBody(of: request) {
            case .refused(let response): return response
            case .upTo(let limit) where request.body.count > limit:
                return Problem(.contentTooLarge, "the body may have at most \(limit) bytes").response()
            case .upTo: break
            }
        }
        switch handler.answer(request) {
        case .now(let response): return response
        case .later(let work), .lightweight(let work), .reserved(let work): return await work()
        }
    }
}

extension HTTPBody {
    /// Bytes of the whole body; nil when only its end tells.
    fileprivate var length: UInt64? {
        switch self {
        case .empty: 0
        case .bytes(let bytes): UInt64(bytes.count)
        case .pieces(let pieces): pieces.reduce(0) { $0 + UInt64($1.bytes.count) }
        case .file(let slice): slice.byteCount
        case .stream(let length, _): length
        }
    }

    fileprivate func bytes() async throws -> [UInt8] {
        switch self {
        case .empty: return []
        case .bytes(let bytes): return bytes
        case .pieces(let pieces): return pieces.flatMap(\.bytes)
        case .file(let slice): return try slice.file.read(at: slice.offset, upTo: Int(slice.byteCount))
        case .stream(_, let source):
            var bytes: [UInt8] = []
            while let piece = try await source.next(limit: 1_000) { bytes += piece }
            return bytes
        }
    }
}

/// A handler made of functions; paths that they do not know are answered 404 without a body.
package struct FunctionHandler: HTTPHandler {
    private let admit: @Sendable (HTTPRequest) -> HTTPBodyAdmission?
    private let respond: @Sendable (HTTPRequest) -> HTTPAnswer?

    package init(
        admitBody: @escaping @Sendable (HTTPRequest) -> HTTPBodyAdmission? = { _ in nil },
        _ respond: @escaping @Sendable (HTTPRequest) -> HTTPAnswer?,
    ) {
        admit = admitBody
        self.respond = respond
    }

    package func admitBody(of request: HTTPRequest) -> HTTPBodyAdmission { admit(request) ?? .upTo(0) }

    package func answer(_ request: HTTPRequest) -> HTTPAnswer {
        respond(request) ?? .now(HTTPResponse(status: .notFound))
    }
}
