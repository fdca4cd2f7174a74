import Glibc
import Synchronization

/// The server's record of an open connection.
final class PeerConnection: Sendable {
    /// The socket; valid while the connection is in the table.
    let descriptor: Int32
    let address: PeerAddress
    /// The address as text, made once for all requests of the connection.
    let addressText: String
    /// The client that budgets count, as text: the address, of IPv6 its /64 network.
    let clientText: String
    /// When the connection is shut down unless the deadline moves; `never` while an answer is made or sent.
    private let deadline: Atomic<Int64>
    /// Whether a request is being read or answered.
    private let busy = Atomic<Bool>(false)
    /// What the client had received when its progress was last looked at.
    private let progress = Mutex<Progress?>(nil)

    /// What a client has taken of its answer at a time of the monotonic clock.
    struct Progress {
        var time: Int64
        /// Bytes that it has acknowledged since the connection began.
        var received: UInt64
        /// Bytes in the socket beyond that.
        var waiting: UInt64

        /// Whether the client has received less than the lowest allowed rate since `last`.
        ///
        /// If it has received all that was waiting, and little is waiting now, the answer is slow and not
        /// the client.
        func isSlow(since last: Progress, _ slowest: ReceiveRate) -> Bool {
            let taken = received - last.received
            if waiting <= Limits.quietAnswer, taken >= last.waiting { return false }
            return Double(taken) < Double(slowest.bytesPerSecond) * Double(time - last.time) / 1e9
        }
    }

    static let never = Int64.max

    init(descriptor: Int32, address: PeerAddress, deadline: Int64) {
        self.descriptor = descriptor
        self.address = address
        addressText = address.description
        clientText = address.isIPv4 ? addressText : address.countingKey.description
        self.deadline = Atomic(deadline)
    }

    var isBusy: Bool { busy.load(ordering: .relaxed) }

    func requestStarted() {
        busy.store(true, ordering: .relaxed)
    }

    func requestFinished(nextHeaderBy point: Int64) {
        progress.withLock { $0 = nil }
        deadline.store(point, ordering: .relaxed)
        busy.store(false, ordering: .relaxed)
    }

    /// Sets the deadline, a time of the monotonic clock.
    func setDeadline(_ point: Int64) {
        deadline.store(point, ordering: .relaxed)
    }

    /// Moves the deadline to an earlier time, never to a later one.
    func shortenDeadline(to point: Int64) {
        if point < deadline.load(ordering: .relaxed) { deadline.store(point, ordering: .relaxed) }
    }

    func isOverdue(at now: Int64) -> Bool {
        deadline.load(ordering: .relaxed) < now
    }

    /// Whether the client has received less than the lowest allowed rate since the last check, although more
    /// was waiting in the socket both times.
    ///
    /// The sweeper calls it at regular intervals.
    func isSlow(at now: Int64, _ slowest: ReceiveRate) -> Bool {
        progress.withLock { progress in
            if let progress, now - progress.time < slowest.over.nanoseconds { return false }
            guard let received = SocketProgress.received(descriptor),
                case let waiting = SocketProgress.waiting(descriptor), waiting > 0
            else {
                progress = nil
                return false
            }
            let last = progress.take()
            let here = Progress(time: now, received: received, waiting: waiting)
            progress = here
            return last.map { here.isSlow(since: $0, slowest) } ?? false
        }
    }
}

/// What the kernel knows about the sending side of a TCP socket.
private enum SocketProgress {
    /// Bytes that the peer has acknowledged since the connection began; nil if it is no TCP socket.
    static func received(_ descriptor: Int32) -> UInt64? {
        var info = [UInt8](repeating: 0, count: 256)
        var size = socklen_t(info.count)
        guard unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0,
            size >= acknowledged + 8
        else { return nil }
        return unsafe info.withUnsafeBytes {
            unsafe $0.loadUnaligned(fromByteOffset: acknowledged, as: UInt64.self)
        }
    }

    /// Bytes in the socket that the peer has not acknowledged.
    static func waiting(_ descriptor: Int32) -> UInt64 {
        var count: Int32 = 0
        return unsafe ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? UInt64(max(0, count)) : 0
    }

    /// The offset of `tcpi_bytes_acked` in the kernel's `tcp_info` (linux/tcp.h); the C library's header does
    /// not have it.
    private static let acknowledged = 120
}
