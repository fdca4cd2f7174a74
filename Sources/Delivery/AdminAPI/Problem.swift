import Catalogue
package import HTTP
import Timeline

/// Why a request is not answered as asked: the module's error, and its answer in the form of RFC 9457.
package struct Problem: Error, Sendable, Equatable {
    package var status: HTTPStatus
    package var detail: String
    /// The parts of the request that are wrong.
    package var faults: [Fault]
    /// Members beside those of the standard.
    var extensions: [JSONValue.Member] = []
    var headers: HTTPHeaders = [:]

    init(_ status: HTTPStatus, _ detail: String, faults: [Fault] = []) {
        self.status = status
        self.detail = detail
        self.faults = faults
    }

    /// Whether the same request can succeed later without a change.
    package var isTransient: Bool { status == .serviceUnavailable }

    /// The problem as a document.
    var document: JSONValue {
        var members: [JSONValue.Member] = [
            .init(name: "type", value: "about:blank"),
            .init(name: "title", value: .string(status.reason)),
            .init(name: "status", value: .integer(Int64(status.rawValue))),
            .init(name: "detail", value: .string(detail)),
        ]
        if !faults.isEmpty { members.append(.init(name: "errors", value: .array(faults.map(\.document)))) }
        return .object(members + extensions)
    }

    var response: HTTPResponse {
        .json(document, status: status, type: .problemJSON, headers: headers)
    }
}

/// One part of a request that is wrong: a field of its body, a parameter of its query or a header.
package struct Fault: Sendable, Hashable {
    enum Place: Sendable, Hashable {
        case field(JSONPointer)
        case parameter(String)
        case header(String)
    }

    let place: Place
    /// What is wrong, in words that follow the name of the place.
    let detail: String

    init(_ pointer: JSONPointer, _ detail: String) {
        place = .field(pointer)
        self.detail = detail
    }

    init(parameter: String, _ detail: String) {
        place = .parameter(String(parameter.prefix(Limits.quotedCharacters)))
        self.detail = detail
    }

    init(header: String, _ detail: String) {
        place = .header(header)
        self.detail = detail
    }

    var sentence: String {
        switch place {
        case .field(let pointer): "\(pointer.words) \(detail)"
        case .parameter(let name), .header(let name): "\(name) \(detail)"
        }
    }

    var document: JSONValue {
        switch place {
        case .field(let pointer): ["pointer": .string(pointer.text), "detail": .string(detail)]
        case .parameter(let name): ["parameter": .string(name), "detail": .string(detail)]
        case .header(let name): ["header": .string(name), "detail": .string(detail)]
        }
    }
}

extension Problem {
    static func unreadable(_ detail: String) -> Problem {
        Problem(.badRequest, detail)
    }

    /// At least one fault; what is beyond the bound is counted, not named.
    static func invalid(_ faults: [Fault]) -> Problem {
        let named = Array(faults.prefix(Limits.faults))
        let rest = faults.count - named.count
        let sentences = named.prefix(3).map(\.sentence).joined(separator: "; ")
        let more = faults.count > 3 ? "; and \(faults.count - 3) more" : ""
        var problem = Problem(.badRequest, sentences + more, faults: named)
        if rest > 0 { problem.extensions = [.init(name: "errors_left_out", value: .integer(Int64(rest)))] }
        return problem
    }

    static func notFound(_ detail: String) -> Problem {
        Problem(.notFound, detail)
    }

    static func noChannel(_ id: ChannelID) -> Problem {
        .notFound("there is no channel \(id)")
    }

    static let catalogueAway: Problem = {
        var problem = Problem(.serviceUnavailable, "the catalogue cannot be reached")
        problem.headers["Retry-After"] = String(Limits.retryAfterSeconds)
        return problem
    }()

    /// What the catalogue's refusal means for the one who asked; nil for a failure of the program itself.
    init?(_ error: CatalogueError) {
        switch error {
        case .noSuchChannel(let id): self = .noChannel(id)
        case .channelExists(let id): self = Problem(.conflict, "channel \(id) exists already")
        case .staleVersion: self = Problem(.preconditionFailed, "the channel has changed since that version")
        case .notInTime: self = .catalogueAway
        case .database where error.isTransient: self = .catalogueAway
        case .database, .unreadable: return nil
        }
    }
}
