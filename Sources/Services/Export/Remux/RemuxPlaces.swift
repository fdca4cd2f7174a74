import Synchronization

/// How many windows may be packed at a time.
final class RemuxPlaces: Sendable {
    private let free: Mutex<Int>

    init(_ count: Int) {
        free = Mutex(count)
    }

    var hasFree: Bool { free.withLock { $0 > 0 } }

    /// A place until it is released; nil when all are taken.
    func take() -> RemuxPlace? {
        let isTaken = free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
        return isTaken ? RemuxPlace(self) : nil
    }

    fileprivate func release() {
        free.withLock { $0 += 1 }
    }
}

/// One of the places; it is free again when nothing refers to it.
final class RemuxPlace: Sendable {
    private let places: RemuxPlaces

    fileprivate init(_ places: RemuxPlaces) {
        self.places = places
    }

    deinit { places.release() }
}
