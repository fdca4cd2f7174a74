import Catalogue
import Concurrency
import HLS
import Monitoring
import Timeline

/// What the recorder knows of one rendition while it records: the source's numbering, the timeline, and
/// counts.
struct RenditionProgress: Sendable {
    var description: RenditionDescription
    /// The source run that the follower follows; nil before the first playlist.
    var run: Int64?
    var follower = PlaylistFollower()
    var alignment = NumberAlignment()
    var placing: TimePlacing
    /// Rises at each discontinuity, so that an initialization section is fetched again after it.
    var discontinuityCount = 0
    /// Digests of the newest stored segments, by number in `run`.
    var digests: [Int64: [UInt8]] = [:]
    var status: RenditionStatus
    /// How the source's dates relate to the timeline.
    var dates = SourceDates()
    /// How long the segments of the run really are.
    var measured = MeasuredDurations()
    /// The sources that were in use before, by URL.
    var earlierUses: [String: EarlierUse] = [:]
    /// What was known of the source in use when it came into use; nil when it was not in use before.
    var earlierUse: EarlierUse?
    var shortSegments = ShortSegments()
    var unmeasured = UnmeasuredSegments()
    var dateSteps = DateSteps()
    /// Segments in a row that stayed parts, and those that stayed damaged.
    var incompleteInARow = (short: 0, damaged: 0)
    /// What was being fetched when an earlier process ended; empty once a playlist has been accepted.
    var missed = MissedEntries()
    /// Media of the newest stored segments, to find them in another source's playlist.
    private(set) var media = HeldMedia()
    /// The search for the place of a source's playlist on the timeline, by the media of its segments.
    var join = Join.first
    /// The first number of a renumbered playlist that is compared with held media; nil once a run begins.
    var renumberedFrom: Int64?
    /// The newest entry of a source that must list a newer one before it is recorded; nil if it need not.
    var awaited: SeenEntry?
    /// How the leading rendition counts and cuts beside this one; nil when that is not known.
    var leaderOffset: LeaderOffset?
    /// What an earlier recorder has stored of segments that are not whole, by number in `run`.
    var parts = IncompleteSegments()
    /// Whether its playlist now comes from another stream, which may use other numbers.
    var hasOtherStream = false
    /// It was taken from a redundant stream once in this use of the source.
    var isOnBackupStream = false
    /// Why the source has brought nothing since it last listed something new.
    var outage: GapReason?
    /// What an earlier process was still to fetch, until a playlist tells whether it is listed.
    var unfetched: [UnfetchedSegment] = []
    /// The lowest number of the run that was read, if the catalogue may have lower ones.
    ///
    /// Nil once a playlist has been compared with it.
    var lowestKnown: Int64?
    /// Times that an earlier process filled from other sources.
    var filled: [TimeWindow] = []
    /// Listed segments that are more than the queue takes.
    var deferred = DeferredSegments()
    /// Those that were listed under EXT-X-GAP.
    var gaps = GapSegments()
    /// A boundary that waits for the first new segment, as all listed segments were recorded already.
    ///
    /// `hole` says why time may be missing there.
    var pendingBoundary: (cause: DiscontinuityCause, hole: GapReason)?

    init(_ description: RenditionDescription, choice: ClockChoice, end: Instant? = nil) {
        self.description = description
        placing = TimePlacing(choice: choice, end: end)
        status = RenditionStatus(
            id: description.id, lastSegment: nil, bitsPerSecond: 0, seen: 0, stored: 0, lost: [:], bytes: 0)
    }

    /// Continues where the catalogue says that recording stopped.
    init(resuming head: RenditionHead, choice: ClockChoice) {
        let last = head.lastOfSource
        let end = [head.last?.end, last?.end].compactMap { $0 }.max()
        self.init(head.description, choice: choice, end: end)
        guard let last else { return }
        (run, join) = (last.run, .open)
        let known = head.known.filter { $0.run == last.run }
        follower = PlaylistFollower(resumingAfter: known.map(\.number).max() ?? last.number)
        lowestKnown = head.isBrief ? known.map(\.number).min() : nil
        for segment in known where !segment.isListed && !segment.isKeyPending {
            digests[segment.number] = segment.digest
            let window = TimeWindow(begin: segment.start, end: segment.start + segment.duration)
            missed.hold(segment.number, window)
            parts.hold(segment.part, number: segment.number, window)
            if segment.isLost { gaps.lose(segment.number, window, isGap: segment.isGap) }
        }
        for segment in head.known where segment.isStored && segment.firstTimestamp != nil {
            media.add(segment, of: id)
        }
        // What waits for its key on this node is in its journal, which is read next.
        unfetched = head.known.filter { $0.isListed || $0.isKeyPending }.map { segment in
            UnfetchedSegment(
                PlacedSegment(
                    identity: SegmentIdentity(rendition: id, run: segment.run, number: segment.number),
                    start: segment.start, duration: segment.duration),
                reason: segment.isKeyPending ? .keyMissing : .segmentExpired)
        }
        for segment in head.known where segment.isStored && segment.run < last.run {
            fill(TimeWindow(begin: segment.start, end: segment.start + segment.duration))
        }
    }

    /// Continues after a segment of the journal; its digest is empty while its key is missing.
    mutating func resume(with segment: PlacedSegment, digest: [UInt8], choice: ClockChoice) {
        let (identity, window) = (segment.identity, segment.window)
        let isNewRun = run != identity.run
        // A node that was suspended may have started a later run, after which this recording continued.
        if let run, isNewRun, identity.run < run || window.end <= placing.end ?? window.begin { return }
        if isNewRun {
            (digests, missed, parts, lowestKnown) = ([:], MissedEntries(), IncompleteSegments(), nil)
            gaps = GapSegments()
        }
        (run, join) = (identity.run, .open)
        recordDigest(identity, digest)
        missed.hold(identity.number, window)
        gaps.find(identity.number)
        let highest = max(isNewRun ? 0 : follower.highest ?? 0, identity.number)
        follower = PlaylistFollower(resumingAfter: highest)
        placing = TimePlacing(choice: choice, end: max(placing.end ?? window.end, window.end))
    }

    var id: RenditionID { description.id }

    /// Another run begins: its numbers and dates are judged from the beginning.
    ///
    /// - Returns: segments of the previous run that were not fetched and are no longer listed
    mutating func startRun() -> [UnfetchedSegment] {
        follower.reset()
        placing.startRun()
        dates.startRun()
        discontinuityCount += 1
        digests = [:]
        measured.startRun()
        (shortSegments, unmeasured) = (ShortSegments(), UnmeasuredSegments())
        (leaderOffset, renumberedFrom) = (nil, nil)
        dateSteps = DateSteps()
        (parts, gaps) = (IncompleteSegments(), GapSegments())
        return deferred.end().map { UnfetchedSegment($0) }
    }

    /// Ends the run after a change of source; the next playlist joins another run.
    ///
    /// When a source is used again, its measured durations and its last entries are still known.
    ///
    /// - Parameters:
    ///   - previous: the URL of the source that was in use; nil when that was in another process
    ///   - next: the URL of the source that is in use from now on
    /// - Returns: what was to be fetched of it
    mutating func leaveRun(of previous: String?, for next: String) -> [UnfetchedSegment] {
        if let previous { saveUse(of: previous) }
        follower.reset()
        (alignment, renumberedFrom, awaited) = (NumberAlignment(), nil, nil)
        (hasOtherStream, isOnBackupStream) = (false, false)
        if run != nil || !media.isEmpty { join = media.isEmpty ? .none : .open }
        earlierUse = earlierUses[next]
        measured = earlierUse?.measured ?? MeasuredDurations()
        measured.startRun()
        run = nil
        (parts, gaps) = (IncompleteSegments(), GapSegments())
        defer { unfetched = [] }
        return deferred.end().map { UnfetchedSegment($0) } + unfetched
    }

    /// Whether no playlist has continued yet what an earlier process stored.
    ///
    /// An apparent restart may then be a source that numbers each playlist from the beginning: this process
    /// has not seen it slide.
    var isResuming: Bool { !missed.held.isEmpty || !unfetched.isEmpty }

    /// Why time is missing before what a playlist lists; `present` is why the source brings nothing now.
    func hole(skips missing: Int64, present: GapReason?) -> GapReason {
        if let reason = outage ?? present { return reason }
        return isResuming ? .recorderDown : missing > 0 ? .sourceJump : .sourceStalled
    }

    /// How long a segment that a playlist lists can still be expected at the source, microseconds.
    static func listedFor(_ playlist: MediaPlaylist) -> Int64 {
        min(PlaylistFollower.length(of: playlist), Limits.longestRetry)
            + PlaylistFollower.target(of: playlist)
    }

    /// The source's date of a playlist's first segment; nil without dates.
    static func firstDate(of playlist: MediaPlaylist) -> Instant? {
        NewEntries.dates(of: playlist).first ?? nil
    }

    /// Adds the media of a stored segment, of this process or an earlier one.
    mutating func hold(_ fact: SegmentFact) {
        if fact.flags.contains(.spliced) {
            media.addSpliced(fact)
        } else {
            media.add(fact)
        }
    }

    /// Counts a stored segment, and remembers its bytes for when the source's numbering is in doubt.
    mutating func count(_ fact: SegmentFact) {
        let isIncomplete = !fact.flags.isDisjoint(with: .parts)
        let isOwn = fact.identity.run == run
        let isWhole =
            isIncomplete
            ? isOwn && shortSegments.isWhole(fact.identity.number)
            : !(isOwn && shortSegments.isShort(fact.identity.number))
        // The source may have other bytes of a part by now.
        recordDigest(fact.identity, isWhole ? fact.digest : [])
        guard fact.replaces == nil else {
            if !isIncomplete { status.parts = max(0, status.parts - 1) }
            return
        }
        if isIncomplete { status.parts += 1 }
        hold(fact)
        status.stored += 1
        status.bytes += fact.storedBytes
        status.lastSegment = max(status.lastSegment ?? fact.start, fact.start)
        let rate = fact.storedBytes * 8_000_000 / max(fact.duration, 1)
        status.bitsPerSecond = status.bitsPerSecond == 0 ? rate : (status.bitsPerSecond * 7 + rate) / 8
    }

    mutating func countLost(_ reason: GapReason) {
        status.lost[reason, default: 0] += 1
    }

    mutating func recordDigest(_ identity: SegmentIdentity, _ digest: [UInt8]) {
        guard identity.run == run else { return }
        digests[identity.number] = digest
        guard digests.count > 2 * Limits.recentEntries else { return }
        for number in digests.keys.sorted().dropLast(Limits.recentEntries) { digests[number] = nil }
    }
}
