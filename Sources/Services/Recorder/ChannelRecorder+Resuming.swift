import Catalogue
import Journal
import Timeline

/// Going on where the catalogue and the journal stand.
extension ChannelRecorder {
    /// Goes on where the catalogue and the journal stand.
    func resume(heads: [RenditionHead], replayed: [(JournalPosition, JournalEntry)]) {
        for head in heads {
            renditions[head.description.id] = RenditionProgress(
                resuming: head, choice: channel.settings.clock)
            restoredFeeds.formUnion(head.known.map(\.feed))
            publisher.open(lane(resuming: head))
        }
        let known = Set(
            heads.flatMap { head in
                head.known.filter { !$0.isLost && !$0.isKeyPending }.map {
                    SegmentIdentity(rendition: head.description.id, feed: $0.feed, number: $0.number)
                }
            })
        replay(replayed, known: known)
        publishStatus()
    }

    private func lane(resuming head: RenditionHead) -> Lane {
        var lane = Lane(rendition: head.description.id, nextNumber: head.nextNumber, now: now)
        lane.publishedEnd = head.published?.end
        lane.settledEnd = head.last?.end
        lane.epoch = head.published?.epoch
        lane.state = head.published?.state
        return lane
    }

    /// Enters what the journal has and the catalogue has not, as if it had just been stored.
    private func replay(_ entries: [(JournalPosition, JournalEntry)], known: Set<SegmentIdentity>) {
        var facts: [SegmentFact] = []
        var waiting: [SegmentIdentity: (segment: KeyPendingSegment, position: JournalPosition)] = [:]
        for (position, entry) in entries {
            switch entry {
            case .segment(var fact):
                // The same identity may stand twice after an append whose result was lost: one fact is enough.
                if let earlier = positions.updateValue(position, forKey: fact.identity) {
                    donePositions.append(earlier)
                    continue
                }
                fact.fence = lease.fence
                facts.append(fact)
            case .keyPending(let segment):
                if let earlier = waiting.updateValue((segment, position), forKey: segment.identity) {
                    donePositions.append(earlier.position)
                }
            case .feed(let fact):
                newFeeds.append(fact)
                donePositions.append(position)
            case .loss(let loss):
                newLosses.append(loss)
                donePositions.append(position)
            }
        }
        for identity in facts.map(\.identity) + known {
            if let read = waiting.removeValue(forKey: identity) { donePositions.append(read.position) }
        }
        var unread = waiting.values.sorted { $0.segment.start < $1.segment.start }[...]
        for fact in facts.sorted(by: { $0.start < $1.start }) {
            while let next = unread.first, next.segment.start < fact.start { resume(unread.removeFirst()) }
            resumeNumbering(with: fact.identity, end: fact.end, digest: fact.digest)
            if known.contains(fact.identity) {
                if let position = positions.removeValue(forKey: fact.identity) {
                    donePositions.append(position)
                }
                continue
            }
            let slot = Lane.Slot(identity: fact.identity, start: fact.start, duration: fact.duration)
            publisher.listed([slot], of: fact.identity.rendition, now: now)
            publisher.stored(fact)
        }
        for next in unread { resume(next) }
    }

    private func resume(_ waiting: (segment: KeyPendingSegment, position: JournalPosition)) {
        let segment = waiting.segment
        resumeNumbering(with: segment.identity, end: segment.end, digest: [])
        resumeWaiting(segment, at: waiting.position)
    }

    /// What is replayed is also what the source's numbering is compared with.
    private func resumeNumbering(with identity: SegmentIdentity, end: Instant, digest: [UInt8]) {
        let id = identity.rendition
        if renditions[id] == nil { open(RenditionDescription(id: id)) }
        guard var progress = renditions[id], identity.feed >= progress.feed ?? 0 else { return }
        let isNewFeed = progress.feed != identity.feed
        if isNewFeed { progress.digests = [:] }
        progress.digests[identity.number] = digest
        progress.feed = identity.feed
        let highest = max(isNewFeed ? 0 : progress.follower.highest ?? 0, identity.number)
        progress.follower = PlaylistFollower(resumingAfter: highest)
        progress.placing = TimePlacing(
            choice: channel.settings.clock, end: max(progress.placing.end ?? end, end))
        renditions[id] = progress
    }
}
