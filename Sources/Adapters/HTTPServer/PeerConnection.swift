import Synchronization

/// The server's record of an open connection.
final class PeerConnection: Sendable {
    /// The socket; valid while the connection is in the table.
    let descriptor: Int32
    let address: PeerAddress
    /// The address as text, made once for all requests of the connection.
    let addressText: String
    /// When the connection is shut down unless the deadline moves; `never` while an answer is made or sent.
    private let deadline: Atomic<Int64>
    /// Whether a request is being read or answered.
    private let busy = Atomic<Bool>(false)

    static let never = Int64.max

    init(descriptor: Int32, address: PeerAddress, deadline: Int64) {
        self.descriptor = descriptor
        self.address = address
        self.addressText = address.description
        self.deadline = Atomic(deadline)
    }

    var isBusy: Bool { busy.load(ordering: .relaxed) }

    func requestStarted() {
        busy.store(true, ordering: .relaxed)
    }

    func requestFinished(nextHeaderBy point: Int64) {
        deadline.store(point, ordering: .relaxed)
        busy.store(false, ordering: .relaxed)
    }

    /// Sets the deadline, a time of the monotonic clock.
    func mustMove(by point: Int64) {
        deadline.store(point, ordering: .relaxed)
    }

    /// Moves the deadline to an earlier time, never to a later one.
    func mustMove(atLatestBy point: Int64) {
        if point < deadline.load(ordering: .relaxed) { deadline.store(point, ordering: .relaxed) }
    }

    func isOverdue(at now: Int64) -> Bool {
        deadline.load(ordering: .relaxed) < now
    }
}
