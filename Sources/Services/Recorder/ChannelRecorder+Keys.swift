import Catalogue
import Concurrency
import Journal
import Logging
import Timeline

/// What the recorder remembers of segments that wait for their keys.
struct KeyPendings: Sendable {
    /// Their lines in the journal, which stay until the key comes or is given up.
    var lines: [SegmentIdentity: JournalPosition] = [:]
    /// Those that an earlier process left behind.
    var replayed: [KeyPendingSegment] = []

    /// Takes over a segment that waited for its key when an earlier process ended.
    mutating func takeOver(_ segment: KeyPendingSegment, at line: JournalPosition) {
        lines[segment.identity] = line
        replayed.append(segment)
    }
}

/// Segments whose key comes after their bytes, or never.
extension ChannelRecorder {
    /// A segment's bytes are durable, and nobody can read them before a key comes.
    func keyPending(_ segment: KeyPendingSegment) async throws {
        if keyPendings.lines.isEmpty {
            logger.warning(
                "A key is not to be had: segments are kept as they come",
                metadata: [
                    "rendition": "\(segment.identity.rendition)", "number": "\(segment.identity.number)",
                ])
        }
        guard let line = try await journal.append([.keyPending(segment)]).first else { return }
        keyPendings.lines[segment.identity] = line
        lastStored = parts.clock.steady()
        hold(.keyPending(segment), at: line)
        publisher.waits(segment.identity, for: .keyMissing)
    }

    /// The key came, and the segment was stored as it would have been.
    func keyCame(for segment: KeyPendingSegment, _ stored: SegmentFetcher.Stored) async throws {
        try await enter(
            stored, identity: segment.identity, start: segment.start, duration: segment.duration,
            date: segment.programDateTime, arrived: segment.arrived, boundary: segment.boundary)
        settle(segment)
    }

    /// The segment is lost after all.
    func keyNeverCame(for segment: KeyPendingSegment, _ failure: FetchFailure) async {
        lost(
            LostSegment(identity: segment.identity, start: segment.start, duration: segment.duration), failure
        )
        settle(segment)
        await journalNews()
    }

    private func settle(_ segment: KeyPendingSegment) {
        guard let line = keyPendings.lines.removeValue(forKey: segment.identity) else { return }
        doneLines.append(line)
        if keyPendings.lines.isEmpty { logger.info("No segment waits for a key any more") }
    }
}

/// What an earlier process left behind.
extension ChannelRecorder {
    /// The segments that were taken over, once.
    func takeReplayedKeyPendings() -> [KeyPendingSegment] {
        defer { keyPendings.replayed = [] }
        return keyPendings.replayed
    }
}

extension KeyPendingSegment {
    var slot: Lane.Slot {
        Lane.Slot(identity: identity, start: start, duration: duration, boundary: boundary)
    }
}
