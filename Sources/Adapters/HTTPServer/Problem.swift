import HTTP

/// The answers the server gives by itself (RFC 9457).
enum Problem {
    static func response(_ status: HTTPStatus, title: String, detail: String, retryAfter: Int? = nil)
        -> HTTPResponse
    {
        let text =
            "{\"type\":\"about:blank\",\"title\":\"\(title)\",\"status\":\(status.rawValue),\"detail\":\"\(detail)\"}"
        var headers: HTTPHeaders = ["Content-Type": "application/problem+json", "Cache-Control": "no-store"]
        if let retryAfter { headers["Retry-After"] = String(retryAfter) }
        return HTTPResponse(status: status, headers: headers, body: .bytes(Array(text.utf8)))
    }

    static func badRequest(_ detail: String) -> HTTPResponse {
        response(.badRequest, title: "Bad Request", detail: detail)
    }

    static let unknownCoding = response(
        HTTPStatus(rawValue: 501), title: "Not Implemented", detail: "the only transfer coding is chunked")

    /// Bare, since next to such a header the connection's memory has little room.
    static let headerTooLarge = HTTPResponse(status: HTTPStatus(rawValue: 431))

    static func contentTooLarge(limit: Int) -> HTTPResponse {
        response(
            .contentTooLarge, title: "Content Too Large", detail: "the body may have at most \(limit) bytes")
    }

    static let busy = response(
        .serviceUnavailable, title: "Service Unavailable", detail: "too many requests are waiting",
        retryAfter: 1)

    static let late = response(
        .serviceUnavailable, title: "Service Unavailable", detail: "the answer took too long", retryAfter: 1)

    static let unmade = response(
        .serviceUnavailable, title: "Service Unavailable", detail: "the answer could not be sent",
        retryAfter: 1)
}
