package import JSON

/// The answers of interfaces that speak JSON; no cache keeps them.
extension HTTPResponse {
    /// An answer in JSON.
    package static func json(
        _ value: JSONValue, status: HTTPStatus = .ok, headers: HTTPHeaders = [:],
    ) -> HTTPResponse {
        var headers = headers
        headers["Content-Type"] = MediaType.json.fieldValue
        headers["Cache-Control"] = "no-store"
        headers["X-Content-Type-Options"] = "nosniff"
        return HTTPResponse(status: status, headers: headers, body: .bytes(value.bytes))
    }

    package static let noContent = HTTPResponse(
        status: .noContent, headers: ["Cache-Control": "no-store"])
}

extension Problem {
    package static func notFound(_ detail: String) -> Problem { Problem(.notFound, detail) }

    /// The resource has other methods (RFC 9110 §15.5.6).
    package static func methodNotAllowed(_ allowed: [HTTPMethod]) -> Problem {
        let list = allowed.map(\.rawValue).joined(separator: ", ")
        return Problem(
            .methodNotAllowed, "this resource answers \(list)", headers: ["Allow": list])
    }
}
