import Synchronization

/// Limits how much is done at a time: in all and for each client.
///
/// What waits for its turn has a limit, too, in all and for each client.
package final class ClientTurns: Sendable {
    /// A client that has turns or waits for one.
    private struct Share {
        let turns: AsyncSemaphore
        var users = 0
    }

    private let turns: AsyncSemaphore
    private let perClient: Int
    private let clientWaiting: Int
    private let timeout: Duration
    private let clock: HostClock
    private let shares = Mutex<[String: Share]>([:])

    /// Makes `count` turns, at most `perClient` for each client.
    ///
    /// A wait for a turn ends after `timeout`.
    package init(
        _ count: Int, perClient: Int, waiting: Int, clientWaiting: Int, timeout: Duration, clock: HostClock,
    ) {
        turns = AsyncSemaphore(permits: count, waiters: waiting)
        self.perClient = perClient
        self.clientWaiting = clientWaiting
        self.timeout = timeout
        self.clock = clock
    }

    /// Runs a body while it holds `count` turns, of its client and of all clients together.
    ///
    /// `client` is nil for work of the program itself, which needs no turns of a client. Returns nil at once
    /// if too many already wait, and later if the turns are still taken after the timeout or the task is
    /// cancelled while it waits.
    package func withTurn<Value, Failure>(
        _ count: Int = 1, for client: String?, _ body: () async throws(Failure) -> Value,
    ) async throws(Failure) -> Value? {
        let end = clock.steady() + timeout
        guard let client else { return try await inTurn(turns, count, until: end, body) }
        let share = share(of: client)
        defer { leave(client) }
        let value = try await inTurn(share, count, until: end) { () async throws(Failure) -> Value? in
            try await inTurn(turns, count, until: end, body)
        }
        return value ?? nil
    }

    private func inTurn<Value, Failure>(
        _ turns: AsyncSemaphore, _ count: Int, until end: SteadyInstant,
        _ body: () async throws(Failure) -> Value,
    ) async throws(Failure) -> Value? {
        let left = max(.zero, end - clock.steady())
        return try await turns.withPermit(count, within: left, by: clock, body)
    }

    private func share(of client: String) -> AsyncSemaphore {
        shares.withLock { shares in
            var share =
                shares[client]
                ?? Share(turns: AsyncSemaphore(permits: perClient, waiters: clientWaiting))
            share.users += 1
            shares[client] = share
            return share.turns
        }
    }

    private func leave(_ client: String) {
        shares.withLock { shares in
            shares[client]?.users -= 1
            if shares[client]?.users == 0 { shares[client] = nil }
        }
    }
}
