import HTTP

/// The answers that the server gives by itself, without asking the handler.
enum ServerResponses {
    static func badRequest(_ detail: String) -> HTTPResponse {
        Problem(.badRequest, detail).response(readableByAll)
    }

    static func contentTooLarge(limit: Int) -> HTTPResponse {
        Problem(.contentTooLarge, "the body may have at most \(limit) bytes").response(readableByAll)
    }

    /// States how many bytes of the connection's memory a request header may take.
    ///
    /// Without fields and body if `left`, the rest of this memory in bytes, has no room for them.
    static func headerTooLarge(limit: Int, left: Int) -> HTTPResponse {
        guard left >= Limits.refusalHeader else { return HTTPResponse(status: .requestHeaderFieldsTooLarge) }
        let detail =
            "the header may take \(limit) bytes, with \(Limits.fieldOverhead) for each field and cookie"
        return Problem(.requestHeaderFieldsTooLarge, detail).response(readableByAll)
    }

    /// The answer to a request that fits, but leaves no room for the header of its answer, such as a redirect
    /// that repeats a long query.
    static let noRoomForAnswer = Problem(
        .requestHeaderFieldsTooLarge, "the header is too large for an answer that repeats the query"
    ).response(readableByAll)

    static let unknownCoding = Problem(.notImplemented, "the only transfer coding is chunked")
        .response(readableByAll)

    static let busy = unavailable("too many requests are waiting")
    static let tooManyRequests = unavailable("too many requests of this client are being answered")
    static let tooManyStreams = unavailable("too many downloads are running")
    static let late = unavailable("the answer took too long")
    static let unsendable = unavailable("the answer could not be sent")

    private static func unavailable(_ detail: String) -> HTTPResponse {
        Problem(.serviceUnavailable, detail).retryable(afterSeconds: 1).response(readableByAll)
    }

    /// For pages of every origin, so that a player's script sees the status and not a CORS error.
    private static let readableByAll: HTTPHeaders = [
        "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Retry-After",
    ]
}
