import HTTP

/// Header fields that answers to players share, and answers that are always the same.
enum Fields {
    /// The fields that pages of other origins may read (Fetch, "CORS protocol").
    static let exposed = [
        "Accept-Ranges", "Backcast-Final", "Backcast-Held-Seconds", "Backcast-Missing-Seconds",
        "Backcast-Next",
        "Backcast-Time",
        "Backcast-Window", "Content-Disposition", "Content-Length", "Content-Range", "Date", "ETag",
        "Retry-After",
    ].joined(separator: ", ")

    private static let allowedMethods = "GET, HEAD, OPTIONS"

    /// The fields of every answer.
    static let common: HTTPHeaders = [
        "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": exposed,
        "Timing-Allow-Origin": "*",
    ]

    /// The fields of every object: a source wrote its bytes, so no browser may take them for a page.
    static let object: HTTPHeaders = {
        var headers = common
        headers.append("Accept-Ranges", "bytes")
        headers.append("X-Content-Type-Options", "nosniff")
        headers.append("Content-Security-Policy", "sandbox")
        return headers
    }()

    /// The answer to a preflight: every header field that the page asks for is allowed (CMCD-…,
    /// Authorization, X-Playback-Session-Id), also to a server of a private network (Private Network Access).
    static func preflight(_ asked: HTTPHeaders, at path: String) -> HTTPResponse {
        var headers = common
        headers["Access-Control-Allow-Methods"] = methods(at: path)
        let names = asked["Access-Control-Request-Headers"]
        headers["Access-Control-Allow-Headers"] =
            names.flatMap { $0.utf8.count <= Limits.preflightBytes ? $0 : nil }
            ?? "Range, If-Range, If-Match, If-None-Match, Accept, Accept-Encoding"
        if asked["Access-Control-Request-Private-Network"] == "true" {
            headers["Access-Control-Allow-Private-Network"] = "true"
        }
        headers["Access-Control-Max-Age"] = String(Limits.preflightSeconds)
        headers["Vary"] = "Access-Control-Request-Headers, Access-Control-Request-Private-Network"
        headers["Allow"] = methods(at: path)
        return HTTPResponse(status: .noContent, headers: headers)
    }

    /// Some Xtream paths accept forms by POST.
    private static func methods(at path: String) -> String {
        allowedMethods + (XtreamForm.isTaken(at: path) ? ", POST" : "")
    }

    static func methodNotAllowed(at path: String) -> HTTPResponse {
        var response = Problem(.methodNotAllowed, "this resource is read-only").answer()
        response.headers["Allow"] = methods(at: path)
        return response
    }

    /// Created once, like those below: players often request resources that are gone, and server threads
    /// answer them.
    static let noSuchResource = Problem(.notFound, "there is no such resource").answer()

    /// The answer to a token that is missing, forged, expired, revoked or for something else, without the
    /// reason.
    static let forbidden = Problem(.forbidden, "").answer()

    static let unsupportedMediaType = Problem(
        .unsupportedMediaType, "the body must be application/x-www-form-urlencoded"
    )
    .answer()

    /// The program has started and has not yet read which tokens are revoked.
    static let tokensNotLoaded = Problem(.serviceUnavailable, "revoked tokens are not read yet")
        .retryable(afterSeconds: Limits.retryAfterSeconds).answer()

    /// Players that still have an expired playlist ask for its segments again and again: caches answer them
    /// for a few seconds.
    static let goneObject: HTTPResponse = {
        var response = noSuchResource
        response.headers["Cache-Control"] = "public, max-age=\(Limits.goneAgeSeconds)"
        return response
    }()

    static let noSuchRange = Problem(.rangeNotSatisfiable, "the range begins after the end of the resource")
        .answer()

    static let changed = Problem(.preconditionFailed, "the resource does not match If-Match").answer()
}
