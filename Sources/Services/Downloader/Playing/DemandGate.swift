import Concurrency
import Synchronization

/// Holds transfers back while a player waits for a part, so that this part has the whole connection.
///
/// For `Limits.demandCooldown` after a player waited, other parts are fetched one at a time. So the next part
/// that the player asks for is often under way already and does not share the connection.
final class DemandGate: Sendable {
    private struct State {
        var demands: [ObjectIdentifier: PartProgress] = [:]
        /// When a player waited last.
        var demandedAt: SteadyInstant?
        /// Transfers that have a turn.
        var turns = 0
    }

    private let state = Mutex(State())
    private let signal = ChangeSignal()
    private let clock: HostClock

    init(clock: HostClock) {
        self.clock = clock
    }

    /// A player waits for a part.
    func enter(_ progress: PartProgress) {
        let now = clock.steady()
        state.withLock { state in
            state.demands[ObjectIdentifier(progress)] = progress
            state.demandedAt = now
        }
        signal.raise()
    }

    /// A part that a player waited for is there, or will not come.
    func leave(_ progress: PartProgress) {
        let now = clock.steady()
        state.withLock { state in
            if state.demands.removeValue(forKey: ObjectIdentifier(progress)) != nil { state.demandedAt = now }
        }
        signal.raise()
    }

    /// Waits until no player waits for another part; false when that takes longer than a limit, or the task
    /// is cancelled.
    ///
    /// A part that a player waits for passes at once. A part without new bytes for `Limits.demandTimeout`
    /// does not hold others back.
    func pass(_ progress: PartProgress?, within limit: Duration? = nil) async -> Bool {
        if isOpen(for: progress) { return true }
        let pause = limit ?? Limits.demandTimeout
        while !Task.isCancelled {
            let isOpen = await signal.wait(within: pause, by: clock) { self.isOpen(for: progress) }
            if isOpen || limit != nil { return isOpen }
        }
        return false
    }

    /// Carries out work for parts that no player waits for when it is their turn; nil when the task is
    /// cancelled before.
    nonisolated(nonsending) func inTurn<Value>(
        _ work: () async throws(DownloadError) -> Value
    ) async throws(DownloadError) -> Value? {
        while !takeTurn() {
            if Task.isCancelled { return nil }
            _ = await signal.wait(within: Limits.demandTimeout, by: clock) { self.hasTurn }
        }
        defer { giveBackTurn() }
        return try await work()
    }

    private func giveBackTurn() {
        state.withLock { $0.turns -= 1 }
        signal.raise()
    }

    private func takeTurn() -> Bool {
        let now = clock.steady()
        return state.withLock { state in
            guard Self.hasTurn(state, at: now) else { return false }
            state.turns += 1
            return true
        }
    }

    private var hasTurn: Bool {
        let now = clock.steady()
        return state.withLock { Self.hasTurn($0, at: now) }
    }

    private static func hasTurn(_ state: State, at now: SteadyInstant) -> Bool {
        guard isOpen(state, at: now) else { return false }
        guard let demandedAt = state.demandedAt, now - demandedAt < Limits.demandCooldown else { return true }
        return state.turns == 0
    }

    private func isOpen(for progress: PartProgress?) -> Bool {
        if progress?.isDemanded == true { return true }
        let now = clock.steady()
        return state.withLock { Self.isOpen($0, at: now) }
    }

    private static func isOpen(_ state: State, at now: SteadyInstant) -> Bool {
        state.demands.values.allSatisfy { $0.isStalled(since: now - Limits.demandTimeout) }
    }
}
