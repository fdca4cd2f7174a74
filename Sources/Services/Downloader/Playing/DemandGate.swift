import Concurrency
import Synchronization

/// Holds transfers back while a player waits for a part, so that this part has the whole connection.
final class DemandGate: Sendable {
    private let demands = Mutex<[ObjectIdentifier: PartProgress]>([:])
    private let signal = ChangeSignal()
    private let clock: HostClock

    init(clock: HostClock) {
        self.clock = clock
    }

    /// A player waits for a part.
    func enter(_ progress: PartProgress) {
        demands.withLock { $0[ObjectIdentifier(progress)] = progress }
        signal.raise()
    }

    /// A part that a player waited for is there, or will not come.
    func leave(_ progress: PartProgress) {
        demands.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(progress)) }
        signal.raise()
    }

    /// Waits until no player waits for another part; false when that takes longer than a limit, or the task
    /// is cancelled.
    ///
    /// A part that a player waits for itself passes at once, and one that does not come holds nothing back.
    func pass(_ progress: PartProgress?, within limit: Duration? = nil) async -> Bool {
        if isOpen(for: progress) { return true }
        let pause = limit ?? Limits.stalledDemand
        while !Task.isCancelled {
            let isOpen = await signal.wait(within: pause, by: clock) { self.isOpen(for: progress) }
            if isOpen || limit != nil { return isOpen }
        }
        return false
    }

    private func isOpen(for progress: PartProgress?) -> Bool {
        if progress?.isDemanded == true { return true }
        let oldest = clock.steady() - Limits.stalledDemand
        return demands.withLock { demands in demands.values.allSatisfy { $0.isStalled(since: oldest) } }
    }
}
