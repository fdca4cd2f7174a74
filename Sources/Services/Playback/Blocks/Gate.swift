import Synchronization

/// Lets a few through at once; the others wait in the order in which they came.
final class Gate: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let waitingLimit: Int
    private let state: Mutex<State>

    init(width: Int, waiting: Int) {
        waitingLimit = waiting
        state = Mutex(State(free: width))
    }

    /// Returns when there is room, false at once when too many wait already; who got true has to leave.
    func enter() async -> Bool {
        let isFull = state.withLock { $0.free == 0 && $0.waiting.count >= waitingLimit }
        if isFull { return false }
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
        return true
    }

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
