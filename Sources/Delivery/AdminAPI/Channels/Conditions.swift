import Catalogue
import HTTP

/// The preconditions of a request for a channel (RFC 9110 §13).
struct Conditions: Sendable {
    private let request: HTTPRequest

    /// Refuses malformed conditions: a client that sends one relies on its protection.
    init(of request: HTTPRequest) throws(Problem) {
        let names = ["If-Match", "If-None-Match"]
        let malformed = names.filter { name in
            let values = request.headers.values(of: name)
            return !values.isEmpty && EntityTagCondition(reading: values) == nil
        }
        guard malformed.isEmpty else {
            throw .invalid(malformed.map { Fault(header: $0, "is neither * nor a list of entity tags") })
        }
        self.request = request
    }

    /// Whether only one version may be changed.
    var requiresVersion: Bool { request.headers["If-Match"] != nil }

    /// The outcome for the tag of a channel; nil when there is none.
    func outcome(for tag: EntityTag?) -> Preconditions {
        let current = tag.map { Validators(entityTag: $0) }
        return Preconditions.evaluated(method: request.method, headers: request.headers, current: current)
    }
}

extension Channel {
    var entityTag: EntityTag { EntityTag(row: row, version: version) }
}

extension StoredChannel {
    var entityTag: EntityTag { EntityTag(row: row, version: version) }
}

extension EntityTag {
    fileprivate init(row: Int32, version: Int64) {
        self.init(strong: "\(row)-\(version)")
    }
}
