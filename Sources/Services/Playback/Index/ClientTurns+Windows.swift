import Concurrency

/// The turns in which windows are read from the catalogue, or composed.
extension ClientTurns {
    /// Makes turns that are waited for as long as a window may wait.
    convenience init(
        _ count: Int, perClient: Int, waiting: Int, clientWaiting: Int = Limits.clientWindowsWaiting,
        clock: HostClock,
    ) {
        self.init(
            count, perClient: perClient, waiting: waiting, clientWaiting: clientWaiting,
            timeout: Limits.turnTimeout, clock: clock)
    }

    /// Runs a body in its turn; throws `busy` if it gets none.
    func take<Value>(
        _ count: Int = 1, for client: String?, _ body: () async throws(PlaybackError) -> Value,
    ) async throws(PlaybackError) -> Value {
        guard let value = try await withTurn(count, for: client, body) else { throw .busy }
        return value
    }
}
