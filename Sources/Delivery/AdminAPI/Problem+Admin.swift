import Catalogue
import HTTP
import JSON
import Timeline

/// The problems of this API, and the one place where failures become status codes.
extension Problem {
    /// The answer, which browsers must not interpret as another type.
    var answer: HTTPResponse { response(["X-Content-Type-Options": "nosniff"]) }

    static func unreadable(_ detail: String) -> Problem {
        Problem(.badRequest, detail)
    }

    /// A request with at least one fault; those beyond `Limits.faults` are counted and not named.
    static func invalid(_ faults: [Fault]) -> Problem {
        let named = Array(faults.prefix(Limits.faults))
        let rest = faults.count - named.count
        let sentences = named.prefix(3).map(\.sentence).joined(separator: "; ")
        let more = faults.count > 3 ? "; and \(faults.count - 3) more" : ""
        let problem = Problem(.badRequest, sentences + more).with("errors", .array(named.map(\.document)))
        return rest > 0 ? problem.with("errors_left_out", .integer(Int64(rest))) : problem
    }

    /// A body that is not JSON.
    init(_ error: JSONError) {
        switch error {
        case .notUTF8: self = .unreadable("the body is not UTF-8")
        case .malformed(let reason, let position):
            self = .unreadable("the body is not JSON: \(reason) (byte \(position))")
        case .repeatedName(let path): self = .invalid([Fault(JSONPointer(path: path), "is given twice")])
        }
    }

    static func noChannel(_ id: ChannelID) -> Problem {
        .notFound("there is no channel \(id)")
    }

    static let catalogueUnavailable = Problem(.serviceUnavailable, "the catalogue cannot be reached")
        .retryable(afterSeconds: Limits.retryAfterSeconds)

    /// What an error of the catalogue means for the client; nil for a failure of the program itself.
    init?(_ error: CatalogueError) {
        switch error {
        case .noSuchChannel(let id): self = .noChannel(id)
        case .channelExists(let id): self = Problem(.conflict, "channel \(id) already exists")
        case .staleVersion: self = Problem(.preconditionFailed, "the channel has changed since that version")
        case .notInTime: self = .catalogueUnavailable
        case .database where error.isTransient: self = .catalogueUnavailable
        case .unreadableSettings:
            self = Problem(
                .internalServerError, "\(error); a PUT of settings repairs the channel, a DELETE removes it")
        case .database, .unreadable, .factsRefused: return nil
        }
    }
}
