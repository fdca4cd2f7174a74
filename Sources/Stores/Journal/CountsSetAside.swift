import Synchronization
import Timeline

/// How many lines of each channel are set aside, for metrics that never wait for the disk.
final class CountsSetAside: Sendable {
    private let counts = Mutex<[LinesSetAside.Reason: [ChannelID: Int]]>([:])

    func all(_ reason: LinesSetAside.Reason) -> [ChannelID: Int] {
        counts.withLock { $0[reason] ?? [:] }
    }

    func add(_ count: Int, to channel: ChannelID, as reason: LinesSetAside.Reason) {
        counts.withLock { $0[reason, default: [:]][channel, default: 0] += count }
    }
}
