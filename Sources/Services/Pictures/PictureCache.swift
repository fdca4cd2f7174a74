import Synchronization

/// Pictures in memory, and the lengths of those that had to leave it.
///
/// An answer without its body says the length that the body has, or closes its connection (RFC 9110 §8.6).
final class PictureCache: Sendable {
    private struct State {
        var pictures: [WantedPicture: [UInt8]] = [:]
        /// Of all pictures in memory.
        var byteCount = 0
        /// Bytes of a picture, also of a dropped one, by its hash: a length takes less memory than its key.
        ///
        /// Hashes have 64 bits and a seed of the process, so two pictures do not share one by accident.
        var lengths: [Int: Int] = [:]
    }

    private let byteLimit: Int
    private let lengthLimit: Int
    private let state = Mutex(State())

    /// Holds at most `byteLimit` bytes of pictures and `lengthLimit` lengths.
    init(byteLimit: Int = Limits.cachedByteCount, lengthLimit: Int = Limits.cachedLengths) {
        (self.byteLimit, self.lengthLimit) = (byteLimit, lengthLimit)
    }

    func picture(_ wanted: WantedPicture) -> [UInt8]? {
        state.withLock { $0.pictures[wanted] }
    }

    /// How many bytes a picture has; nil if it was never here, or too long ago.
    func byteCount(of wanted: WantedPicture) -> Int? {
        state.withLock { $0.pictures[wanted]?.count ?? $0.lengths[wanted.hashValue] }
    }

    /// Keeps a picture; when there is no space, all others are dropped.
    func keep(_ picture: [UInt8], for wanted: WantedPicture) {
        state.withLock { state in
            guard state.pictures[wanted] == nil else { return }
            if state.byteCount + picture.count > byteLimit {
                state.pictures = [:]
                state.byteCount = 0
            }
            if state.lengths.count >= lengthLimit { state.lengths = [:] }
            state.pictures[wanted] = picture
            state.byteCount += picture.count
            state.lengths[wanted.hashValue] = picture.count
        }
    }
}
