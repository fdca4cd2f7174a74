import Catalogue
import HLS
import Monitoring
import SegmentStore
import Timeline

/// What the media of stored segments show.
extension RenditionProgress {
    /// What a stored segment tells of itself and of those before it.
    struct Judgement: Sendable {
        /// It is not whole, or not known to be.
        var isIncomplete = false
        /// Segments that turned out to be whole.
        var whole: [SegmentIdentity] = []
        /// Segments that counted as whole, lack their end or may lack it, and are asked for again.
        var cut: [(segment: ListedSegment, held: IncompleteSegment)] = []
    }

    /// Judges by its media whether a stored segment, which may replace a part, is whole, and others by what
    /// is known now.
    mutating func judge(
        _ segment: ListedSegment, _ stored: StoredSegment, replacing held: IncompleteSegment? = nil,
    ) -> Judgement {
        let isDamaged = stored.flags.contains(.damaged)
        guard segment.identity.run == run else { return Judgement(isIncomplete: isDamaged) }
        if let held, held.isCut { gotEnd(of: segment, held, measured: stored.measuredDuration) }
        guard !isDamaged else { return Judgement(isIncomplete: true) }
        guard let duration = stored.measuredDuration else { return Judgement() }
        let hasGrown = held.map { !$0.isDamaged && $0.byteCount < stored.plainBytes } ?? false
        shortSegments.add(
            segment, measured: duration, timestamp: stored.firstTimestamp, held: IncompleteSegment(stored),
            hasGrown: hasGrown)
        var judgement = Judgement()
        let durations = measured
        let expected = { (segment: ListedSegment) in
            durations.duration(stated: PlaylistFollower.duration(of: segment.entry))
        }
        let judged = shortSegments.judge(expected)
        for (entry, isNew) in judged where entry.verdict == .whole {
            measured(
                entry.segment, entry.measured, timestamp: entry.timestamp,
                isCompared: shortSegments.endsAtNext(entry))
            if !isNew {
                judgement.whole.append(entry.segment.identity)
                if let digest = media.digest(of: entry.segment.identity) {
                    recordDigest(entry.segment.identity, digest)
                }
            }
        }
        let verdict = shortSegments.entries[segment.identity.number]?.verdict
        judgement.isIncomplete = verdict == .suspected || verdict == .short
        judgement.cut = shortSegments.takeCut(expected).compactMap { askForEnd(of: $0) }
        return judgement
    }

    /// Takes in how long a segment is that lacks its end.
    private mutating func askForEnd(
        of cut: ShortSegments.Cut,
    ) -> (segment: ListedSegment, held: IncompleteSegment)? {
        let (segment, measured) = (cut.entry.segment, cut.entry.measured)
        if let length = cut.length {
            self.measured.correct(measured, stated: PlaylistFollower.duration(of: segment.entry), to: length)
        }
        guard cut.isAsked else { return nil }
        var held = cut.entry.held
        (held.isCut, held.isSuspected) = (true, cut.length == nil)
        guard !held.isSuspected else { return (segment, held) }
        // The source may have other bytes of it by now.
        recordDigest(segment.identity, [])
        status.parts += 1
        return (segment, held)
    }

    /// The missing end of a segment has come.
    private mutating func gotEnd(of segment: ListedSegment, _ held: IncompleteSegment, measured: Int64?) {
        let number = segment.identity.number
        shortSegments.settleCut(number, held, isBetter: true)
        guard held.isSuspected else { return }
        // Only now that it is whole it is known that it was incomplete.
        status.parts += 1
        guard let previous = shortSegments.entries[number]?.measured, let measured else { return }
        self.measured.correct(
            previous, stated: PlaylistFollower.duration(of: segment.entry), to: measured, isCompared: false)
    }

    /// Whether better bytes can be expected of segments that are not whole.
    ///
    /// Damaged media say nothing of segments that are only shorter than they should be.
    func expectsBetterBytes(_ part: IncompleteSegment?) -> Bool {
        let isDamaged = part?.isDamaged ?? false
        return (isDamaged ? incompleteInARow.damaged : incompleteInARow.short) < Limits.incompleteInARow
    }

    /// A segment is whole, or stays a part.
    mutating func settled(_ number: Int64, _ part: IncompleteSegment?) {
        if let part, part.isCut { return shortSegments.settleCut(number, part, isBetter: false) }
        guard let part else { return incompleteInARow = (0, 0) }
        if part.isDamaged { incompleteInARow.damaged += 1 } else { incompleteInARow.short += 1 }
    }

    /// A part was replaced by whole bytes of another source; their digest is not kept for comparison.
    mutating func noteRepair(_ identity: SegmentIdentity) {
        recordDigest(identity, [])
        status.parts = max(0, status.parts - 1)
    }

    /// Takes the measured duration of a stored segment, microseconds.
    ///
    /// With `isCompared` the start of the next segment has confirmed it. Unmeasured segments beside it are
    /// as long as the timestamps show.
    mutating func measured(
        _ segment: ListedSegment, _ duration: Int64, timestamp: Int64? = nil, isCompared: Bool = false,
    ) {
        guard segment.identity.run == run else { return }
        let (isSettled, others) = unmeasured.measured(
            segment.identity.number, timestamp: timestamp, duration: duration)
        measured.add(
            stated: PlaylistFollower.duration(of: segment.entry),
            expected: isSettled ? 0 : segment.expectedDuration,
            measured: duration, isCompared: isCompared)
        measured.addShortfall(others)
    }
}
