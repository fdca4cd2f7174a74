import HTTP
import Synchronization

/// The first part of every server: it holds back requests until the database has the program's schema.
///
/// Liveness probes and metrics are answered meanwhile; all other requests get 503 with Retry-After.
final class SchemaGate: RequestPart {
    private static let always: Set<String> = ["/healthz", "/metrics"]

    private let isOpen = Atomic(false)

    /// Whether the database has the program's schema.
    var hasOpened: Bool { isOpen.load(ordering: .acquiring) }

    /// Lets requests through to the other parts from now on.
    func open() {
        isOpen.store(true, ordering: .releasing)
    }

    func admitBody(of request: HTTPRequest) -> HTTPBodyAdmission? { nil }

    func answer(_ request: HTTPRequest) -> HTTPAnswer? {
        guard !hasOpened, !Self.always.contains(request.path) else { return nil }
        return .now(Self.notYet)
    }

    /// Readable by every origin, so that a player's script sees the status and not a CORS error.
    private static let notYet = Problem(
        .serviceUnavailable, "the service is starting: it waits for its database"
    ).retryable(afterSeconds: Limits.startupRetrySeconds).response([
        "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Retry-After",
    ])
}
