import HTTP

/// The answers that the server gives by itself, without asking the handler.
enum ServerAnswers {
    static func badRequest(_ detail: String) -> HTTPResponse {
        Problem(.badRequest, detail).response()
    }

    static func contentTooLarge(limit: Int) -> HTTPResponse {
        Problem(.contentTooLarge, "the body may have at most \(limit) bytes").response()
    }

    /// Without a body: beside so large a request header the connection's memory has little room.
    static let headerTooLarge = HTTPResponse(status: .requestHeaderFieldsTooLarge)

    static let unknownCoding = Problem(.notImplemented, "the only transfer coding is chunked").response()

    static let busy = unavailable("too many requests are waiting")
    static let tooManyStreams = unavailable("too many downloads are running")
    static let late = unavailable("the answer took too long")
    static let unsendable = unavailable("the answer could not be sent")

    /// Readable by every origin, so that a player's script sees the status and not a CORS error.
    private static func unavailable(_ detail: String) -> HTTPResponse {
        Problem(.serviceUnavailable, detail).retryable(afterSeconds: 1)
            .response(["Access-Control-Allow-Origin": "*"])
    }
}
