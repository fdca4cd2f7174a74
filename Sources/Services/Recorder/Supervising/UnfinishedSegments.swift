import Synchronization

/// Segments that a channel's recorder was still to fetch when it ended: the next one of this process goes on
/// with them, also where the source does not list them any more.
final class UnfinishedSegments: Sendable {
    private let requests = Mutex<[Int32: [SegmentRequest]]>([:])

    /// Takes the place of what was left of the channel before.
    func leave(_ unfinished: [SegmentRequest], of channel: Int32) {
        requests.withLock { $0[channel] = unfinished.isEmpty ? nil : unfinished }
    }

    func take(of channel: Int32) -> [SegmentRequest] {
        requests.withLock { $0.removeValue(forKey: channel) } ?? []
    }
}
