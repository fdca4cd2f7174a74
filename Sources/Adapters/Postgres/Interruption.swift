import Glibc
import Synchronization

/// A pair of sockets, used as a pipe, by which any thread ends a connection's wait for its socket.
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

    /// Ends the current wait or the next one; a full pipe does so already, so the result is ignored.
    func wake() {
        var byte: UInt8 = 1
        _ = unsafe write(writeEnd, &byte, 1)
    }

    func drain() {
        var bytes: UInt64 = 0
        while unsafe read(readEnd, &bytes, 8) > 0 {}
    }
}

/// The request of one caller to end its statement: made on any thread, checked on the connection's.
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
