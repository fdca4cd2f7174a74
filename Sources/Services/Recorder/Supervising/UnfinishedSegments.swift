import Catalogue
import Synchronization

/// Segments that a channel's recorder was still to fetch when it ended: the next one of this process goes on
/// with them, also where the source does not list them any more.
final class UnfinishedSegments: Sendable {
    /// What a recorder has left, and the fence of its lease.
    private typealias Left = (requests: [SegmentRequest], fence: Int64)

    private let left = Mutex<[Int32: Left]>([:])

    /// Takes the place of what was left of the channel before.
    func leave(_ unfinished: [SegmentRequest], of channel: Int32, under fence: Int64) {
        left.withLock { $0[channel] = unfinished.isEmpty ? nil : (unfinished, fence) }
    }

    /// What was left of a channel, without what is ahead on a timeline that the channel has left.
    func take(of channel: Int32, reanchor: ReanchorPoint?) -> [SegmentRequest] {
        guard let (requests, fence) = left.withLock({ $0.removeValue(forKey: channel) }) else { return [] }
        guard let reanchor else { return requests }
        return requests.filter { !reanchor.setsAside($0.segment.placed, recordedUnder: fence) }
    }
}
