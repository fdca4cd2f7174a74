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

    private let full = Mutex(false)

    package init() {}

    package var isFull: Bool {
        full.withLock { $0 }
    }

    func set(_ isFull: Bool) {
        full.withLock { $0 = isFull }
    }
}
