import Synchronization
import Timeline

/// How many lines of each channel are set aside, for a metric that never waits for the disk.
final class UnreadCounts: Sendable {
    private let counts = Mutex<[ChannelID: Int]>([:])

    var all: [ChannelID: Int] { counts.withLock { $0 } }

    func add(_ count: Int, to channel: ChannelID) {
        counts.withLock { $0[channel, default: 0] += count }
    }
}
