import Concurrency
import Synchronization

/// Limits how many windows are read from the catalogue, or composed, at a time: in all and for each client.
final class ClientTurns: Sendable {
    /// A client that has turns or waits for one.
    private struct Share {
        let turns: AsyncSemaphore
        var windows = 0
    }

    private let turns: AsyncSemaphore
    private let perClient: Int
    private let clientWaiting: Int
    private let clock: HostClock
    private let shares = Mutex<[String: Share]>([:])

    init(
        _ count: Int, perClient: Int, waiting: Int, clientWaiting: Int = Limits.clientWindowsWaiting,
        clock: HostClock,
    ) {
        turns = AsyncSemaphore(permits: count, waiters: waiting)
        self.perClient = perClient
        self.clientWaiting = clientWaiting
        self.clock = clock
    }

    /// Runs a body while it holds `count` turns, of its client and of all clients together.
    ///
    /// `client` is nil for reads of the program itself, which need no turns of a client. Throws `busy` at
    /// once if too many windows already wait, and after `Limits.turnTimeout` if the turns are still taken.
    func take<Value>(
        _ count: Int = 1, for client: String?, _ body: () async throws(PlaybackError) -> Value,
    ) async throws(PlaybackError) -> Value {
        let end = clock.steady() + Limits.turnTimeout
        guard let client else { return try await inTurn(turns, count, until: end, body) }
        let share = share(of: client)
        defer { leave(client) }
        return try await inTurn(share, count, until: end) { () async throws(PlaybackError) -> Value in
            try await inTurn(turns, count, until: end, body)
        }
    }

    private func inTurn<Value>(
        _ turns: AsyncSemaphore, _ count: Int, until end: SteadyInstant,
        _ body: () async throws(PlaybackError) -> Value,
    ) async throws(PlaybackError) -> Value {
        let left = max(.zero, end - clock.steady())
        let value = try await turns.withPermit(count, within: left, by: clock, body)
        guard let value else { throw .busy }
        return value
    }

    private func share(of client: String) -> AsyncSemaphore {
        shares.withLock { shares in
            var share =
                shares[client]
                ?? Share(turns: AsyncSemaphore(permits: perClient, waiters: clientWaiting))
            share.windows += 1
            shares[client] = share
            return share.turns
        }
    }

    private func leave(_ client: String) {
        shares.withLock { shares in
            shares[client]?.windows -= 1
            if shares[client]?.windows == 0 { shares[client] = nil }
        }
    }
}
