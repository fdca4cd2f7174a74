import Catalogue
import Synchronization

/// The pictures of channels that were asked for.
final class ChannelPictures: Sendable {
    private struct Entry {
        let picture: ChannelPicture
        /// How many blocks had come into memory when it was made.
        let blockCount: Int
    }

    private let known = Mutex<[Int32: Entry]>([:])

    /// The picture of a channel at the revision of a head; it is made if there is none.
    ///
    /// `blockCount` is how many blocks have come into memory until now; it is asked before the picture is
    /// made, so that a block that arrives meanwhile makes the picture stale.
    func picture(
        of head: ChannelHead, blockCount: @autoclosure () -> Int, making make: () -> ChannelPicture,
    ) -> ChannelPicture {
        if let picture = known.withLock({ $0[head.channel]?.picture }), picture.revision == head.revision {
            return picture
        }
        let count = blockCount()
        let made = make()
        known.withLock { known in
            if known.count >= Limits.cachedPictures { known.removeAll() }
            known[head.channel] = Entry(picture: made, blockCount: count)
        }
        return made
    }

    /// Blocks were dropped from memory: a picture would keep them.
    func dropAll() {
        known.withLock { $0.removeAll() }
    }

    /// The picture of a channel lacks blocks: it is made again if some have come into memory since.
    func drop(_ channel: Int32, blockCount: Int) {
        known.withLock { known in
            if known[channel]?.blockCount != blockCount { known[channel] = nil }
        }
    }
}
