import Concurrency
import Synchronization

/// The progress of a part that is being fetched, for players that read it at the same time.
final class PartProgress: Sendable {
    struct Status: Sendable {
        /// Counts how often the part was begun: bytes of an earlier attempt are not those of a later one.
        var attempt = 0
        /// Bytes of the whole part as it is stored; nil while that is unknown.
        var total: Int64?
        /// Bytes in the draft.
        var written: Int64 = 0
        var end: End?

        /// Bytes that may be given away: the last one only when the part is known to be whole.
        var readable: Int64 { end == .whole ? written : max(0, written - 1) }
    }

    enum End: Sendable {
        case whole
        case failed
    }

    private struct State {
        var status = Status()
        var isDemanded = false
        /// Answers that wait for the part or read it.
        var readers = 0
        /// When a player last asked for the part, or bytes last came.
        var lastActivity: SteadyInstant
    }

    private let state: Mutex<State>
    private let signal = ChangeSignal()
    private let clock: HostClock

    init(clock: HostClock) {
        self.clock = clock
        state = Mutex(State(lastActivity: clock.steady()))
    }

    var status: Status { state.withLock { $0.status } }

    /// Whether a player waits for the part.
    var isDemanded: Bool { state.withLock { $0.isDemanded } }

    /// A player waits for the part; returns whether it is the first.
    @discardableResult
    func demand() -> Bool {
        let now = clock.steady()
        return state.withLock { state in
            state.lastActivity = now
            defer { state.isDemanded = true }
            return !state.isDemanded
        }
    }

    /// An answer waits for the part.
    fileprivate func join() {
        state.withLock { $0.readers += 1 }
    }

    /// An answer has ended; returns whether no player waits for the part any more.
    fileprivate func leave() -> Bool {
        state.withLock { state in
            state.readers -= 1
            if state.readers == 0 { state.isDemanded = false }
            return state.readers == 0
        }
    }

    /// Whether no bytes have come since an instant.
    func isStalled(since oldest: SteadyInstant) -> Bool {
        state.withLock { $0.lastActivity < oldest }
    }

    /// A body begins; bytes of an earlier attempt no longer count.
    ///
    /// `draftByteCount` bytes are in the draft already.
    func begin(total: Int64?, draftByteCount: Int64 = 0) {
        change { status in
            status.attempt += 1
            status.total = total
            status.written = draftByteCount
        }
    }

    func wrote(_ byteCount: Int) {
        change { $0.written += Int64(byteCount) }
    }

    func finish(_ end: End) {
        change { status in
            if status.end == nil { status.end = end }
        }
    }

    private func change(_ body: (inout Status) -> Void) {
        let now = clock.steady()
        state.withLock { state in
            body(&state.status)
            state.lastActivity = now
        }
        signal.raise()
    }

    /// Waits until the part has ended or its status is as wanted; the status then, or nil when that takes
    /// longer than a limit.
    func wait(
        within limit: Duration, until isSatisfied: @escaping @Sendable (Status) -> Bool
    ) async -> Status? {
        let isReached = await signal.wait(within: limit, by: clock) {
            let status = self.status
            return status.end != nil || isSatisfied(status)
        }
        return isReached ? status : nil
    }
}

/// A response that waits for a part or reads it; when the last one ends, the part loses its precedence.
final class PartReader: Sendable {
    let progress: PartProgress
    private let gate: DemandGate

    init(_ progress: PartProgress, _ gate: DemandGate) {
        self.progress = progress
        self.gate = gate
        progress.join()
    }

    deinit {
        if progress.leave() { gate.leave(progress) }
    }
}
