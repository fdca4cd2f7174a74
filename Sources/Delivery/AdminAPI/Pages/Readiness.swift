import Catalogue
import HTTP
import JSON

extension AdminAPI {
    /// Whether the catalogue and the archive can be reached; a 503 names the one that cannot.
    func readinessResponse() async -> HTTPResponse {
        async let catalogue = catalogueProbe.succeeds()
        async let archive = archiveProbe.succeeds()
        let parts = [("catalogue", await catalogue), ("archive", await archive)]
        let members = parts.map { JSONValue.Member(name: $0.0, value: $0.1 ? "ok" : "unreachable") }
        let missing = parts.filter { !$0.1 }.map { "the \($0.0)" }
        guard !missing.isEmpty else {
            return .json(.object([.init(name: "status", value: "ready")] + members))
        }
        let detail = missing.joined(separator: " and ") + " cannot be reached"
        return Problem(.serviceUnavailable, detail, members: members)
            .retryable(afterSeconds: Limits.retryAfterSeconds).answer
    }
}
