import Downloader
import HTTP
import JSON

extension HTTPResponse {
    /// An answer in JSON, which no cache keeps.
    static func json(
        _ value: JSONValue, status: HTTPStatus = .ok, headers: HTTPHeaders = [:]
    ) -> HTTPResponse {
        var headers = headers
        headers["Content-Type"] = MediaType.json.fieldValue
        headers["Cache-Control"] = "no-store"
        headers["X-Content-Type-Options"] = "nosniff"
        return HTTPResponse(status: status, headers: headers, body: .bytes(value.bytes))
    }

    static let noContent = HTTPResponse(status: .noContent, headers: ["Cache-Control": "no-store"])
}

/// The problems of this interface, and the one place where failures become status codes.
extension Problem {
    var answer: HTTPResponse { answer([:]) }

    func answer(_ common: HTTPHeaders) -> HTTPResponse {
        var fields = common
        fields["X-Content-Type-Options"] = "nosniff"
        return response(fields)
    }

    static func notFound(_ detail: String) -> Problem { Problem(.notFound, detail) }

    static func noTask(_ id: String) -> Problem { .notFound("there is no task \(id)") }

    init(_ error: DownloadError) {
        let status: HTTPStatus =
            switch error {
            case .noTask: .notFound
            case .invalidState, .conflict: .conflict
            case .unusable, .protected, .notAvailable: .badRequest
            case .diskFull: HTTPStatus(rawValue: 507)
            case .cancelled: .serviceUnavailable
            case .system, .key, .part, .unfinished, .noNetwork, .inUse, .folder: .internalServerError
            }
        self.init(status, "\(error)")
    }
}
