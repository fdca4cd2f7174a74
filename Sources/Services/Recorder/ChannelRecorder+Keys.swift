import Catalogue
import Journal
import Logging
import Timeline

/// What the recorder remembers of segments that wait for their keys.
struct KeyPendings: Sendable {
    /// Their lines in the journal.
    var positions: [SegmentIdentity: JournalPosition] = [:]
    /// Not in the catalogue yet.
    var fresh: [KeyPendingSegment] = []
    /// Given up, and not in the catalogue yet.
    var givenUp: [LostSegment] = []
    /// Those that an earlier process left behind.
    var replayed: [KeyPendingSegment] = []
}

/// Segments whose key comes after their bytes, or never.
extension ChannelRecorder {
    /// A segment's bytes are durable, and nobody can read them before a key comes.
    func keyPending(_ segment: KeyPendingSegment) async throws {
        if keyPendings.positions.isEmpty {
            logger.warning(
                "A key is not to be had: segments are kept as they come",
                metadata: [
                    "rendition": "\(segment.identity.rendition)", "number": "\(segment.identity.number)",
                ])
        }
        keyPendings.positions[segment.identity] = try await journal.append([.keyPending(segment)]).first
        keyPendings.fresh.append(segment)
        publisher.waits(segment.identity, for: .keyMissing)
    }

    /// The key came, and the segment was stored as it would have been.
    func keyCame(for segment: KeyPendingSegment, _ stored: SegmentFetcher.Stored) async throws {
        try await enter(
            stored, identity: segment.identity, start: segment.start, duration: segment.duration,
            date: segment.programDateTime, arrived: segment.arrived)
        settle(segment)
    }

    /// The segment is lost after all.
    func keyNeverCame(for segment: KeyPendingSegment, _ failure: FetchFailure) {
        keyPendings.givenUp.append(
            LostSegment(identity: segment.identity, start: segment.start, duration: segment.duration))
        lost(segment.identity, failure)
        settle(segment)
    }

    private func settle(_ segment: KeyPendingSegment) {
        guard let position = keyPendings.positions.removeValue(forKey: segment.identity) else { return }
        donePositions.append(position)
        if keyPendings.positions.isEmpty { logger.info("No segment waits for a key any more") }
    }
}

/// What an earlier process left behind.
extension ChannelRecorder {
    /// Takes over a segment that waited for its key when an earlier process ended.
    func resumeWaiting(_ segment: KeyPendingSegment, at position: JournalPosition) {
        keyPendings.positions[segment.identity] = position
        keyPendings.fresh.append(segment)
        keyPendings.replayed.append(segment)
        guard segment.end > publisher.watermark else { return }
        let slot = Lane.Slot(identity: segment.identity, start: segment.start, duration: segment.duration)
        publisher.listed([slot], of: segment.identity.rendition, now: now)
        publisher.waits(segment.identity, for: .keyMissing)
    }

    /// The segments that `resumeWaiting` took over, once.
    func takeReplayedKeyPendings() -> [KeyPendingSegment] {
        defer { keyPendings.replayed = [] }
        return keyPendings.replayed
    }
}
