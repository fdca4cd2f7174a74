import HTTP
import JSON

extension HTTPResponse {
    /// An answer in JSON; caches never store answers of the admin API.
    static func json(
        _ value: JSONValue, status: HTTPStatus = .ok, type: MediaType = .json, headers: HTTPHeaders = [:],
    ) -> HTTPResponse {
        bytes(value.bytes, status: status, type: type.fieldValue, headers: headers)
    }

    /// An answer from memory.
    static func bytes(
        _ bytes: [UInt8], status: HTTPStatus = .ok, type: String, headers: HTTPHeaders = [:],
    ) -> HTTPResponse {
        var headers = headers
        headers["Content-Type"] = type
        if headers["Cache-Control"] == nil { headers["Cache-Control"] = "no-store" }
        headers["X-Content-Type-Options"] = "nosniff"
        return HTTPResponse(status: status, headers: headers, body: .bytes(bytes))
    }

    static let noContent = HTTPResponse(status: .noContent, headers: ["Cache-Control": "no-store"])
}
