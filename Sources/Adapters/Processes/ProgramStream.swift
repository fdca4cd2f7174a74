import Concurrency
import Glibc
import Synchronization

/// This process's end of a stream to or from a program.
///
/// It waits on a queue of its own: a thread of Swift's pool never waits for a program.
actor ProgramStream {
    private let descriptor: OwnedDescriptor
    private let queue = BlockingExecutor(label: "program-stream")
    private var isClosed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

    init(_ descriptor: OwnedDescriptor) {
        self.descriptor = descriptor
    }

    /// Writes all bytes; false when the program takes no more.
    func write(_ bytes: [UInt8]) -> Bool {
        guard !isClosed else { return false }
        return unsafe bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let count = unsafe send(
                    descriptor.number, bytes.baseAddress?.advanced(by: offset), bytes.count - offset,
                    Int32(MSG_NOSIGNAL))
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return false }
                offset += count
            }
            return true
        }
    }

    /// At least one byte; nil at the end.
    func read(limit: Int) -> [UInt8]? {
        isClosed ? nil : readNow(limit: limit)
    }

    /// Reads on the calling thread.
    nonisolated func readNow(limit: Int) -> [UInt8]? {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            var result: Int
            repeat {
                result = unsafe Glibc.read(descriptor.number, buffer.baseAddress, limit)
            } while result < 0 && errno == EINTR
            count = max(0, result)
        }
        return bytes.isEmpty ? nil : bytes
    }

    func close() {
        isClosed = true
        descriptor.close()
    }
}

/// Two ends of a stream: this process's, and the program's.
///
/// Sockets, because writing to one whose reader is gone can be asked to raise no signal. Both are closed with
/// the pair unless they have another owner.
struct StreamPair {
    let own: OwnedDescriptor
    let other: OwnedDescriptor

    init() throws(ProgramFailure) {
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &pair) == 0 else {
            throw .unstartable(systemMessage(errno))
        }
        own = OwnedDescriptor(pair[0])
        // Above those numbers that the program's ends get, so that none replaces another.
        let moved = fcntl(pair[1], F_DUPFD_CLOEXEC, 32)
        let reason = systemMessage(errno)
        Glibc.close(pair[1])
        guard moved >= 0 else { throw .unstartable(reason) }
        other = OwnedDescriptor(moved)
    }
}

/// A descriptor that is closed once: on demand, or with its last owner.
final class OwnedDescriptor: Sendable {
    let number: Int32
    private let isOpen = Atomic(true)

    init(_ number: Int32) {
        self.number = number
    }

    deinit { close() }

    func close() {
        if isOpen.exchange(false, ordering: .relaxed) { Glibc.close(number) }
    }
}
