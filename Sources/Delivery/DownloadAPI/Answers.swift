import Downloader
import HTTP
import JSON

/// The problems of this interface, and the one place where failures become status codes.
extension Problem {
    var answer: HTTPResponse { answer([:]) }

    func answer(_ common: HTTPHeaders) -> HTTPResponse {
        var fields = common
        fields["X-Content-Type-Options"] = "nosniff"
        return response(fields)
    }

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
