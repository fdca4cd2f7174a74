import Catalogue
import Concurrency
import Journal
import Timeline

/// Going on where the catalogue and the journal stand.
extension ChannelRecorder {
    /// Segments that wait for their keys, with their lines in the journal.
    private typealias Waiting = [SegmentIdentity: (segment: KeyPendingSegment, line: JournalPosition)]

    /// Goes on where the catalogue and the journal stand.
    ///
    /// What the journal has is entered part by part; what it says of the source's numbering and of the renditions is
    /// needed before the source is asked.
    func resume(heads: [RenditionHead], newestSourceRun: SourceRun?) async throws(JournalError) {
        self.newestSourceRun = newestSourceRun
        for head in heads {
            renditions[head.description.id] = RenditionProgress(
                resuming: head, choice: channel.settings.clock)
            publisher.open(lane(resuming: head))
            for segment in head.known where !segment.isLost && !segment.isKeyPending {
                known.insert(
                    SegmentIdentity(
                        rendition: head.description.id, run: segment.run, number: segment.number))
            }
        }
        var backlog = Backlog()
        for (segment, line) in try await resumeNumbering().values {
            keyPendings.takeOver(segment, at: line)
            backlog.list([segment.slot])
        }
        self.backlog = backlog
        publishStatus()
    }

    private func lane(resuming head: RenditionHead) -> Lane {
        var lane = Lane(
            rendition: head.description.id, nextNumber: head.nextNumber, now: parts.clock.steady())
        lane.publishedEnd = head.published?.end
        lane.settledEnd = head.last?.end
        lane.discontinuitySequence = head.published?.discontinuitySequence
        lane.format = head.published?.format
        return lane
    }

    /// Gives the segments that still wait for their keys.
    private func resumeNumbering() async throws(JournalError) -> Waiting {
        var cursor: JournalPosition?
        var waiting: Waiting = [:]
        while true {
            let lines = try await journal.replay(after: cursor, limit: Limits.factsReadBack)
            for (line, entry) in lines { resumeNumbering(with: entry, at: line, &waiting) }
            guard lines.count == Limits.factsReadBack else { return waiting }
            cursor = lines.last?.0
        }
    }

    /// A rendition may be known from the journal only; so may what the source's numbering is compared with.
    private func resumeNumbering(
        with entry: JournalEntry, at line: JournalPosition, _ waiting: inout Waiting,
    ) {
        switch entry {
        case .rendition(let description):
            know(description)
        case .segment(let fact):
            resumeNumbering(with: fact.identity, TimeWindow(begin: fact.start, end: fact.end), fact.digest)
            if let came = waiting.removeValue(forKey: fact.identity) { doneLines.append(came.line) }
        case .keyPending(let segment):
            resumeNumbering(with: segment.identity, TimeWindow(begin: segment.start, end: segment.end), [])
            if known.contains(segment.identity) {
                doneLines.append(line)
            } else if let earlier = waiting.updateValue((segment, line), forKey: segment.identity) {
                doneLines.append(earlier.line)
            }
        case .sourceRun(let feed):
            if feed.id > newestSourceRun?.id ?? 0 { newestSourceRun = feed }
        case .loss:
            break
        }
    }

    private func resumeNumbering(
        with identity: SegmentIdentity, _ window: TimeWindow, _ digest: [UInt8],
    ) {
        let id = identity.rendition
        if renditions[id] == nil { know(RenditionDescription(id: id, position: id.index)) }
        renditions[id]?.resume(with: identity, window, digest: digest, choice: channel.settings.clock)
    }
}
