import SegmentStore
import Synchronization

/// Says whether the archive has room for another segment.
///
/// Written by retention, asked by recorders before each segment: a full disk must never take the database
/// along.
package final class DiskGuard: Sendable {
    /// How much must stay free.
    package enum Floor: Sendable, Equatable {
        /// The larger of a twentieth of the disk and 2 GiB.
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
