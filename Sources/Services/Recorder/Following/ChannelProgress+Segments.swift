import Catalogue
import Journal
import Monitoring
import Timeline

/// What becomes of segments.
extension ChannelProgress {
    mutating func stored(_ fact: SegmentFact) {
        let (id, run) = (fact.identity.rendition, fact.identity.run)
        guard let own = renditions.index(of: id) else { return }
        renditions.values[own].count(fact)
        guard let leading, renditions.values[own].run == run, let timestamp = fact.firstTimestamp else {
            return
        }
        if id == leading { return compare(fact, at: timestamp) }
        guard let leader = renditions.index(of: leading) else { return }
        if let position = renditions.values[leader].media.position(of: timestamp, in: run) {
            renditions.values[own].leaderOffset = LeaderOffset(
                numberOffset: position.number - fact.identity.number, delay: position.later)
        }
    }

    /// Compares a stored segment of the leading rendition with others, which may always be stored first.
    private mutating func compare(_ leader: SegmentFact, at timestamp: Int64) {
        let run = leader.identity.run
        for (other, id) in renditions.keys.enumerated() where id != leading {
            guard renditions.values[other].run == run, renditions.values[other].leaderOffset == nil,
                let position = renditions.values[other].media.position(of: timestamp, in: run)
            else { continue }
            renditions.values[other].leaderOffset = LeaderOffset(
                numberOffset: leader.identity.number - position.number, delay: -position.later)
        }
    }

    /// Losses for the time that is missing after `before` and between the segments.
    static func holes(_ segments: [ListedSegment], after before: Instant?) -> [JournalEntry] {
        var end = before
        return segments.compactMap { segment in
            defer { end = max(end ?? segment.placed.end, segment.placed.end) }
            guard let reason = segment.hole, let end, segment.placed.start > end else { return nil }
            let window = TimeWindow(begin: end, end: segment.placed.start)
            return .loss(Loss(window: window, reason: reason, rendition: segment.identity.rendition))
        }
    }

    /// A source run id for segments that fill holes; lower than the ids of the runs in use.
    func repairRun(_ generator: inout SeededRandomNumberGenerator) -> Int64 {
        let oldest = (renditions.values.map(\.run) + [newestRun?.id]).compactMap { $0 }.min() ?? 1 << 20
        return max(0, (oldest >> 20) - 1) << 20 | Int64.random(in: 0..<(1 << 20), using: &generator)
    }

    /// Judges by its media whether a stored segment is whole, and others by what is known now.
    mutating func judge(
        _ segment: ListedSegment, _ stored: StoredSegment, replacing held: IncompleteSegment?,
    ) -> RenditionProgress.Judgement {
        guard let index = renditions.index(of: segment.identity.rendition) else { return .init() }
        return renditions.values[index].judge(segment, stored, replacing: held)
    }

    /// The bytes of another source took the place of a part.
    mutating func noteRepair(_ identity: SegmentIdentity) {
        if let index = renditions.index(of: identity.rendition) {
            renditions.values[index].noteRepair(identity)
        }
    }

    /// A segment is whole, or stays a part.
    mutating func settled(_ identity: SegmentIdentity, _ part: IncompleteSegment?) {
        guard let index = renditions.index(of: identity.rendition) else { return }
        // The number may be one of an earlier run.
        guard part?.isCut != true || renditions.values[index].run == identity.run else { return }
        renditions.values[index].settled(identity.number, part)
    }

    /// A try for a segment failed, and is repeated.
    mutating func retried(_ id: RenditionID) { renditions[id]?.status.retries += 1 }

    mutating func lost(_ id: RenditionID, _ reason: GapReason) { renditions[id]?.countLost(reason) }

    /// Completes a format with the codecs of the previous segment that had the same tracks.
    mutating func completed(_ format: SegmentFormat, of id: RenditionID) -> SegmentFormat {
        var format = format
        if let last = lastFormats[id], last.tracks == format.tracks, last.initName == format.initName {
            format = format.completed(by: last)
        }
        lastFormats[id] = format
        return format
    }

    /// Whether segments of a rendition wait for a turn to be fetched.
    func isDeferring(_ id: RenditionID) -> Bool { !(renditions[id]?.deferred.isEmpty ?? true) }
}
