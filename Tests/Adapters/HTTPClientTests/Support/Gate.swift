import Foundation
import Synchronization

/// Holds server threads back until the test lets them go on.
final class Gate: Sendable {
    private let condition = NSCondition()
    private let isOpen = Mutex(false)

    func open() {
        condition.lock()
        isOpen.withLock { $0 = true }
        condition.broadcast()
        condition.unlock()
    }

    /// Blocks the calling thread until the gate is open.
    func pass() {
        condition.lock()
        while !isOpen.withLock({ $0 }) { condition.wait() }
        condition.unlock()
    }
}

/// Something that a server's thread announces and a test waits for.
final class Event: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func happen() { continuation.yield() }

    /// Returns when it has happened once more.
    func wait() async {
        var iterator = stream.makeAsyncIterator()
        await iterator.next()
    }
}
