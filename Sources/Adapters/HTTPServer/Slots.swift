import Synchronization

/// Counts answers that are being made.
///
/// The task of an answer counts until it has ended, not until the request is answered, so that hanging work
/// cannot accumulate.
final class ResponseSlots: Sendable {
    private let limit: Int
    private let taken = Atomic<Int>(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether another answer may be made; then `release` has to follow.
    func take() -> Bool {
        let (_, count) = taken.add(1, ordering: .relaxed)
        if count <= limit { return true }
        release()
        return false
    }

    func release() {
        taken.subtract(1, ordering: .relaxed)
    }
}

/// Counts something of all clients and of each of them.
final class ClientSlots: Sendable {
    private struct State {
        var taken = 0
        var counts: [PeerAddress: Int] = [:]
    }

    private let limit: Int
    private let limitPerClient: Int
    private let state = Mutex(State())

    init(limit: Int, perClient: Int) {
        self.limit = limit
        limitPerClient = perClient
    }

    /// Whether more than half of them are taken.
    var isHalfTaken: Bool { state.withLock { $0.taken > limit / 2 } }

    /// Whether a client may have another one; then `release` has to follow.
    func take(_ client: PeerAddress) -> Bool {
        state.withLock { state in
            let count = state.counts[client.countingKey, default: 0]
            guard state.taken < limit, count < limitPerClient else { return false }
            state.taken += 1
            state.counts[client.countingKey] = count + 1
            return true
        }
    }

    func release(_ client: PeerAddress) {
        state.withLock { state in
            state.taken -= 1
            let rest = state.counts[client.countingKey, default: 1] - 1
            state.counts[client.countingKey] = rest > 0 ? rest : nil
        }
    }
}
