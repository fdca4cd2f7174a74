import SegmentStore
import Synchronization

/// Tells whether the archive has room for another segment.
///
/// Retention updates it and recorders check it before each segment, so that a full disk never brings down the
/// database.
package final class DiskGuard: Sendable {
    /// How much space must stay free.
    package enum Floor: Sendable, Equatable {
        /// The larger of 5 % of the disk and 2 GiB.
        case standard
        case bytes(Int64)

        func bytes(of space: StorageSpace) -> Int64 {
            switch self {
            case .standard: max(space.totalBytes / 20, 2 << 30)
            case .bytes(let bytes): bytes
            }
        }
    }

    /// Why recording stops; nil while there is room.
    private let reason = Mutex<String?>(nil)

    package init() {}

    package var isFull: Bool {
        reason.withLock { $0 != nil }
    }

    /// Sets why recording stops; nil lets it continue.
    ///
    /// - Returns: the reason until now
    @discardableResult
    func set(_ reason: String?) -> String? {
        self.reason.withLock { former in
            defer { former = reason }
            return former
        }
    }
}
