import Concurrency
import Synchronization

/// Lets a few windows be read from the catalogue at a time, and of one client fewer, so that the others get
/// their turn.
final class ColdTurns: Sendable {
    private let turns: AsyncSemaphore
    private let perClient: Int
    private let clock: HostClock
    /// The turns that each client has or waits for.
    private let taken = Mutex<[String: Int]>([:])

    init(_ count: Int, perClient: Int, waiting: Int, clock: HostClock) {
        turns = AsyncSemaphore(permits: count, waiters: waiting)
        self.perClient = perClient
        self.clock = clock
    }

    /// Runs a body in one or more turns of a client; what the program itself reads has none.
    ///
    /// A client that has its share of the turns already is refused at once, and anyone who has waited too
    /// long for one is refused, too.
    func take<Value>(
        _ count: Int = 1, for client: String?, _ body: () async throws(PlaybackError) -> Value,
    ) async throws(PlaybackError) -> Value {
        guard isWithinShare(count, client) else { throw .busy }
        defer { giveBack(count, client) }
        let value = try await turns.withPermit(count, within: Limits.turnWait, by: clock, body)
        guard let value else { throw .busy }
        return value
    }

    private func isWithinShare(_ count: Int, _ client: String?) -> Bool {
        guard let client else { return true }
        return taken.withLock { taken in
            let sum = taken[client, default: 0] + count
            guard sum <= perClient else { return false }
            taken[client] = sum
            return true
        }
    }

    private func giveBack(_ count: Int, _ client: String?) {
        guard let client else { return }
        taken.withLock { taken in
            let rest = taken[client, default: count] - count
            taken[client] = rest > 0 ? rest : nil
        }
    }
}
