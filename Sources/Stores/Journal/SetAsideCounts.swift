import Synchronization
import Timeline

/// How many lines of each channel are set aside, for metrics that never wait for the disk.
final class SetAsideCounts: Sendable {
    private let counts = Mutex<[SetAsideLines.Reason: [ChannelID: Int]]>([:])

    func all(_ reason: SetAsideLines.Reason) -> [ChannelID: Int] {
        counts.withLock { $0[reason] ?? [:] }
    }

    func add(_ count: Int, to channel: ChannelID, as reason: SetAsideLines.Reason) {
        counts.withLock { $0[reason, default: [:]][channel, default: 0] += count }
    }
}
