import Synchronization

/// How many windows may be packed at a time.
final class RemuxPermits: Sendable {
    private let free: Mutex<Int>

    init(_ count: Int) {
        free = Mutex(count)
    }

    var hasFree: Bool { free.withLock { $0 > 0 } }

    /// A permit until it is released; nil when all are taken.
    func take() -> RemuxPermit? {
        let isTaken = free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
        return isTaken ? RemuxPermit(self) : nil
    }

    fileprivate func release() {
        free.withLock { $0 += 1 }
    }
}

/// One of the permits; it is free again when nothing refers to it.
final class RemuxPermit: Sendable {
    private let permits: RemuxPermits

    fileprivate init(_ permits: RemuxPermits) {
        self.permits = permits
    }

    deinit { permits.release() }
}
