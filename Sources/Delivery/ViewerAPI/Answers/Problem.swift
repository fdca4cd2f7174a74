import Foundation
import HTTP
import Timeline

/// An error as clients read it (RFC 9457).
struct Problem {
    private let status: HTTPStatus
    private var document: Document
    private var retryAfterSeconds: Int?

    init(_ status: HTTPStatus, _ detail: String) {
        self.status = status
        document = Document(title: Self.title(of: status), status: status.rawValue, detail: detail)
    }

    /// Names the parameter that is at fault.
    func naming(_ parameter: String) -> Problem {
        changed { $0.document.parameter = parameter }
    }

    /// Names the longest window, in seconds.
    func limitingWindow(to seconds: Int64) -> Problem {
        changed { $0.document.maxWindow = seconds }
    }

    /// Names what is held, nearest first.
    func offering(_ windows: [TimeWindow]) -> Problem {
        changed {
            $0.document.available = windows.map {
                Document.Span(begin: $0.begin.rfc3339, end: $0.end.rfc3339)
            }
        }
    }

    /// Names how much is missing, in microseconds.
    func missing(_ microseconds: Int64, of rendition: RenditionID) -> Problem {
        changed {
            $0.document.missingSeconds = Microseconds.seconds(microseconds)
            $0.document.rendition = rendition.description
        }
    }

    /// Names the resource that does what this one cannot.
    func pointing(to resource: String) -> Problem {
        changed { $0.document.instead = resource }
    }

    func retryable(afterSeconds seconds: Int) -> Problem {
        changed { $0.retryAfterSeconds = seconds }
    }

    func response() -> HTTPResponse {
        var headers = Fields.common
        headers["Content-Type"] = "application/problem+json"
        headers["Cache-Control"] = "no-store"
        if let retryAfterSeconds { headers["Retry-After"] = String(retryAfterSeconds) }
        return HTTPResponse(status: status, headers: headers, body: .bytes(document.bytes))
    }

    private func changed(_ change: (inout Problem) -> Void) -> Problem {
        var problem = self
        change(&problem)
        return problem
    }

    private static func title(of status: HTTPStatus) -> String {
        switch status {
        case .badRequest: "Bad Request"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .conflict: "Conflict"
        case .gone: "Gone"
        case .preconditionFailed: "Precondition Failed"
        case .rangeNotSatisfiable: "Range Not Satisfiable"
        case .serviceUnavailable: "Service Unavailable"
        default: "Internal Server Error"
        }
    }
}

extension Problem {
    /// The members of the document; absent ones are left out.
    private struct Document: Encodable {
        var type = "about:blank"
        var title: String
        var status: Int
        var detail: String
        var parameter: String?
        var maxWindow: Int64?
        var available: [Span]?
        var missingSeconds: Double?
        var rendition: String?
        var instead: String?

        struct Span: Encodable {
            var begin: String
            var end: String
        }

        enum CodingKeys: String, CodingKey {
            case type, title, status, detail, parameter, available, rendition, instead
            case maxWindow = "max_window"
            case missingSeconds = "missing_seconds"
        }

        var bytes: [UInt8] {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return (try? encoder.encode(self)).map(Array.init) ?? []
        }
    }
}
