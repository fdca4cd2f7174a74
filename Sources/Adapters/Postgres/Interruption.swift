import Glibc
import Synchronization

/// A pair of sockets, used as a pipe, that ends a connection's wait for its socket from any thread.
final class WakePipe: Sendable {
    let readEnd: Int32
    private let writeEnd: Int32

    init() throws(PostgresError) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw PostgresError(.unreachable, "no pair of sockets: error \(errno)")
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Ends the present wait or the next; a full pipe already does, so the result says nothing.
    func wake() {
        var byte: UInt8 = 1
        _ = unsafe write(writeEnd, &byte, 1)
    }

    func drain() {
        var bytes: UInt64 = 0
        while unsafe read(readEnd, &bytes, 8) > 0 {}
    }
}

/// The wish of one caller that its statement end: asked on any thread, noticed on the connection's.
final class Interruption: Sendable {
    private let requested = Atomic(false)
    private let pipe: WakePipe

    init(_ pipe: WakePipe) {
        self.pipe = pipe
    }

    var isRequested: Bool { requested.load(ordering: .acquiring) }

    func request() {
        requested.store(true, ordering: .releasing)
        pipe.wake()
    }
}
