import Catalogue
import Journal
import Timeline

/// Going on where the catalogue and the journal stand.
extension ChannelRecorder {
    /// Goes on where the catalogue and the journal stand.
    ///
    /// What the journal has is entered part by part; what it says of the source's numbering and of the renditions is
    /// needed before the source is asked.
    func resume(heads: [RenditionHead]) async throws(JournalError) {
        for head in heads {
            renditions[head.description.id] = RenditionProgress(
                resuming: head, choice: channel.settings.clock)
            publisher.open(lane(resuming: head))
            for segment in head.known where !segment.isLost {
                known.insert(
                    SegmentIdentity(
                        rendition: head.description.id, feed: segment.feed, number: segment.number))
            }
        }
        try await resumeNumbering()
        backlog = Backlog()
        publishStatus()
    }

    private func lane(resuming head: RenditionHead) -> Lane {
        var lane = Lane(
            rendition: head.description.id, nextNumber: head.nextNumber, now: parts.clock.steady())
        lane.publishedEnd = head.published?.end
        lane.settledEnd = head.last?.end
        lane.epoch = head.published?.epoch
        lane.state = head.published?.state
        return lane
    }

    private func resumeNumbering() async throws(JournalError) {
        var cursor: JournalPosition?
        while true {
            let lines = try await journal.replay(after: cursor, limit: Limits.factsReadBack)
            for (_, entry) in lines { resumeNumbering(with: entry) }
            guard lines.count == Limits.factsReadBack else { return }
            cursor = lines.last?.0
        }
    }

    /// A rendition may be known from the journal only; so may what the source's numbering is compared with.
    private func resumeNumbering(with entry: JournalEntry) {
        switch entry {
        case .rendition(let description):
            know(description)
        case .segment(let fact):
            let id = fact.identity.rendition
            if renditions[id] == nil { know(RenditionDescription(id: id, position: id.index)) }
            renditions[id]?.resume(with: fact, choice: channel.settings.clock)
        case .feed, .loss:
            break
        }
    }
}
