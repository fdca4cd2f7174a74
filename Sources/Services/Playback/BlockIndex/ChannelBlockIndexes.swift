import Catalogue
import Synchronization

/// The block indexes of channels that were asked for.
final class ChannelBlockIndexes: Sendable {
    private struct Entry {
        let index: ChannelBlockIndex
        /// How many blocks had come into memory when it was made.
        let blockCount: Int
    }

    private let known = Mutex<[Int32: Entry]>([:])

    /// The block index of a channel at the revision of a head or later; it is made if there is none.
    ///
    /// `blockCount` is how many blocks have come into memory until now; it is asked before the index is
    /// made, so that a block that arrives meanwhile makes the index stale.
    func blockIndex(
        of head: ChannelHead, blockCount: @autoclosure () -> Int, making make: () -> ChannelBlockIndex,
    ) -> ChannelBlockIndex {
        if let index = known.withLock({ $0[head.channel]?.index }), index.revision >= head.revision {
            return index
        }
        let (count, made) = (blockCount(), make())
        known.withLock { known in
            if known.count >= Limits.cachedBlockIndexes { known.removeAll() }
            known[head.channel] = Entry(index: made, blockCount: count)
        }
        return made
    }

    /// Replaces the index of a channel, if there is one, by one of a newer head.
    ///
    /// Requests that see that head then find an index, and what has not changed is kept. A restored catalogue
    /// has a lower revision.
    func renew(
        _ head: ChannelHead, blockCount: @autoclosure () -> Int,
        making make: (_ previous: ChannelBlockIndex) -> ChannelBlockIndex,
    ) {
        guard let previous = known.withLock({ $0[head.channel]?.index }), previous.revision != head.revision
        else { return }
        let (count, made) = (blockCount(), make(previous))
        known.withLock { known in
            // It may have been dropped meanwhile, because of blocks that this one has.
            guard known[head.channel]?.index === previous else { return }
            known[head.channel] = Entry(index: made, blockCount: count)
        }
    }

    /// Blocks were dropped from memory: an index would keep them.
    func dropAll() {
        known.withLock { $0.removeAll() }
    }

    /// The index of a channel lacks blocks: it is made again if some have come into memory since.
    func drop(_ channel: Int32, blockCount: Int) {
        known.withLock { known in
            if known[channel]?.blockCount != blockCount { known[channel] = nil }
        }
    }
}
