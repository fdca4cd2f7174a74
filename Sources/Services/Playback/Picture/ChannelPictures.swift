import Catalogue
import Synchronization

/// The pictures of channels that were asked for.
final class ChannelPictures: Sendable {
    private let known = Mutex<[Int32: ChannelPicture]>([:])

    /// The picture of a channel at the revision of a head; it is made if there is none.
    func picture(of head: ChannelHead, making make: () -> ChannelPicture) -> ChannelPicture {
        if let picture = known.withLock({ $0[head.channel] }), picture.revision == head.revision {
            return picture
        }
        let made = make()
        known.withLock { known in
            if known.count >= Limits.cachedPictures { known.removeAll() }
            known[head.channel] = made
        }
        return made
    }

    /// Blocks were dropped from memory: a picture would keep them.
    func dropAll() {
        known.withLock { $0.removeAll() }
    }

    /// More blocks of a channel are in memory than its picture has.
    func drop(_ channel: Int32) {
        known.withLock { _ = $0.removeValue(forKey: channel) }
    }
}
