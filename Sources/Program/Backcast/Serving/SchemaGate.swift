import HTTP
import Synchronization

/// The first part of every server: until the database has the program's schema only what needs none of it is answered.
///
/// So probes and metrics answer while the database is waited for, and everybody else is told to come back.
final class SchemaGate: RequestPart {
    private static let always: Set<String> = ["/healthz", "/metrics"]

    private let isSettled = Atomic(false)

    /// From now on the other parts answer.
    func open() {
        isSettled.store(true, ordering: .releasing)
    }

    func bodyLimit(for request: HTTPRequest) -> Int? { nil }

    func answer(_ request: HTTPRequest) -> HTTPAnswer? {
        guard !isSettled.load(ordering: .acquiring), !Self.always.contains(request.path) else { return nil }
        return .now(Self.notYet)
    }

    /// Readable by every origin, so that a player's script sees the status and not a CORS error.
    private static let notYet = Problem(
        .serviceUnavailable, "the service is starting: it waits for its database"
    ).retryable(afterSeconds: Limits.retryWhenStarting).response(["Access-Control-Allow-Origin": "*"])
}
