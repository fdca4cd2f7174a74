import Synchronization

/// How many windows may be packed at a time.
final class RemuxPermits: Sendable {
    private let free: Mutex<Int>

    init(_ count: Int) {
        free = Mutex(count)
    }

    var hasFree: Bool { free.withLock { $0 > 0 } }

    /// A place until it is released; nil when all are taken.
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

/// One of the places; it is free again when nothing refers to it.
final class RemuxPermit: Sendable {
    private let places: RemuxPermits

    fileprivate init(_ places: RemuxPermits) {
        self.places = places
    }

    deinit { places.release() }
}
