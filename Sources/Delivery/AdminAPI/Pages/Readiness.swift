import Catalogue
import HTTP

extension AdminAPI {
    /// Whether catalogue and archive can be reached; 503 says which cannot.
    func readinessResponse() async -> HTTPResponse {
        async let catalogue = within(Limits.probeSeconds) { await self.catalogue.isReachable() }
        async let archive = within(Limits.probeSeconds) { await self.archiveIsReachable() }
        let parts = [("catalogue", await catalogue), ("archive", await archive)]
        let members = parts.map { JSONValue.Member(name: $0.0, value: $0.1 ? "ok" : "unreachable") }
        let missing = parts.filter { !$0.1 }.map { "the \($0.0)" }
        guard !missing.isEmpty else {
            return .json(.object([.init(name: "status", value: "ready")] + members))
        }
        var problem = Problem(.serviceUnavailable, missing.joined(separator: " and ") + " cannot be reached")
        problem.extensions = members
        problem.headers["Retry-After"] = String(Limits.retryAfterSeconds)
        return problem.response
    }
}

/// Whether a question is answered with yes within some seconds; a slower one is cancelled.
private func within(_ seconds: Double, _ question: @escaping @Sendable () async -> Bool) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
        group.addTask { await question() }
        group.addTask {
            try? await Task.sleep(for: .seconds(seconds))
            return false
        }
        let first = await group.next() ?? false
        group.cancelAll()
        return first
    }
}
