import HTTP

/// Header fields that answers to players share, and answers that are always the same.
enum Fields {
    /// The fields that pages of other origins may read (Fetch, "CORS protocol").
    static let exposed = [
        "Accept-Ranges", "Backcast-Final", "Backcast-Held-Seconds", "Backcast-Missing-Seconds",
        "Backcast-Next",
        "Backcast-Window", "Content-Disposition", "Content-Length", "Content-Range", "ETag", "Retry-After",
    ].joined(separator: ", ")

    static let allowedMethods = "GET, HEAD, OPTIONS"

    /// The fields of every answer.
    static let common: HTTPHeaders = [
        "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": exposed,
    ]

    static func preflight() -> HTTPResponse {
        var headers = common
        headers["Access-Control-Allow-Methods"] = allowedMethods
        headers["Access-Control-Allow-Headers"] =
            "Range, If-Range, If-Match, If-None-Match, Accept, Accept-Encoding"
        headers["Access-Control-Max-Age"] = String(Limits.preflightSeconds)
        headers["Allow"] = allowedMethods
        return HTTPResponse(status: .noContent, headers: headers)
    }

    static func methodNotAllowed() -> HTTPResponse {
        var response = Problem(.methodNotAllowed, "this resource is read-only").answer()
        response.headers["Allow"] = allowedMethods
        return response
    }

    /// Created once, like those below: players often request resources that are gone, and server threads
    /// answer them.
    static let noSuchResource = Problem(.notFound, "there is no such resource").answer()

    static let noSuchRange = Problem(.rangeNotSatisfiable, "the range begins after the end of the resource")
        .answer()

    static let changed = Problem(.preconditionFailed, "the resource does not match If-Match").answer()
}
