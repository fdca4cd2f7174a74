package import Catalogue
package import Journal
package import Timeline

/// From where a channel goes on while the catalogue is away.
extension ResumePoint {
    /// What a lease that was just taken and the heads of renditions say.
    package init(
        _ channel: Channel, _ lease: Lease, _ heads: [RenditionHead], _ newestRun: SourceRun?,
        lastRun: SourceRun?,
    ) {
        self.init(
            row: channel.row, settings: channel.settings, version: channel.version, fence: lease.fence,
            end: lease.publishedHead.end, targetSeconds: lease.publishedHead.targetSeconds,
            renditions: heads.map(\.description), sourceRun: newestRun, lastRun: lastRun)
        (reanchorFence, reanchored) = (lease.reanchor?.fence, lease.reanchor?.instant)
    }

    /// Whether another node may have recorded last before the lease.
    ///
    /// `previous` is what this node kept of its lease before, nil for nothing; it took `leases` since.
    func follows(_ previous: ResumePoint?, leases: Int64) -> Bool {
        guard let previous, fence == previous.fence + leases else { return true }
        // What was published between the two leases is this node's own.
        return previous.followsOther ?? true && end <= previous.end
    }

    var channel: Channel { Channel(row: row, settings: settings, version: version) }

    /// The last lease; nothing is published under it.
    package var lease: Lease {
        Lease(
            fence: fence,
            publishedHead: PublishedHead(
                discontinuitySequence: 0, end: end, watermark: end,
                expiredBefore: Instant(microseconds: 0), targetSeconds: targetSeconds),
            reanchor: reanchor)
    }

    private var reanchor: ReanchorPoint? {
        guard let reanchorFence, let reanchored else { return nil }
        return ReanchorPoint(fence: reanchorFence, instant: reanchored)
    }

    /// The heads of the renditions with what the journal keeps of each: its newest facts that the catalogue
    /// has taken.
    package func heads(_ entered: [JournalEntry]) -> [RenditionHead] {
        let facts = Dictionary(grouping: entered.compactMap(\.fact), by: \.identity.rendition)
        let described = Set(renditions.map(\.id))
        let all =
            renditions
            + facts.keys.filter { !described.contains($0) }.map {
                RenditionDescription(id: $0, position: $0.index)
            }
        return all.map { description in
            let known = (facts[description.id] ?? []).sorted {
                ($0.identity.run, $0.identity.number) < ($1.identity.run, $1.identity.number)
            }
            return RenditionHead(
                description: description, nextNumber: 0,
                known: Self.known(known.suffix(Limits.resumedFacts)))
        }.sorted { $0.description.id < $1.description.id }
    }

    /// What is known of the segments of a rendition.
    ///
    /// The journal keeps no identities of missing segments, although a run may continue after them. So if
    /// only late facts of a run are known, and other facts of another run, its segments count as ones that
    /// fill a hole.
    private static func known(_ facts: some Sequence<SegmentFact>) -> [KnownSegment] {
        let followed = Set(facts.filter { !$0.flags.contains(.late) }.map(\.identity.run))
        return facts.map { fact in
            var known = KnownSegment(fact)
            known.fillsHole = !followed.isEmpty && !followed.contains(fact.identity.run)
            return known
        }
    }
}

extension [JournalEntry] {
    /// The latest end of their time.
    ///
    /// If it is before the end of the resume point, another node has recorded since, and its segments are not
    /// known here.
    package var end: Instant { lazy.compactMap(\.end).max() ?? Instant(microseconds: 0) }
}

extension JournalEntry {
    fileprivate var end: Instant? {
        switch self {
        case .segment(let fact): fact.end
        case .keyPending(let segment): segment.end
        case .loss(let loss): loss.window.end
        case .sourceRun, .marker, .rendition: nil
        }
    }
}
