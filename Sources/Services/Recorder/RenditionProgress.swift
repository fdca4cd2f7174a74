import Catalogue
import HLS
import Timeline

/// What the recorder knows of one rendition while it records: the source's numbering, the time line, and counts.
struct RenditionProgress: Sendable {
    var description: RenditionDescription
    /// The numbering that the follower follows; nil before the first list.
    var feed: Int64?
    var follower = PlaylistFollower()
    var placing: TimePlacing
    /// Goes up at each discontinuity, so that an initialization section is fetched anew.
    var domain = 0
    /// Digests of what the catalogue held when recording began, by number in `feed`.
    var digests: [Int64: [UInt8]] = [:]
    var status: RenditionStatus
    /// End of the listed media, from which the state of the source is judged.
    var lastListed: Instant?

    init(_ description: RenditionDescription, choice: ClockChoice, end: Instant? = nil) {
        self.description = description
        placing = TimePlacing(choice: choice, end: end)
        status = RenditionStatus(
            id: description.id, lastSegment: nil, bitsPerSecond: 0, seen: 0, stored: 0, lost: [:], bytes: 0)
    }

    /// Goes on where the catalogue says that recording stopped.
    init(resuming head: RenditionHead, choice: ClockChoice) {
        let last = head.known.last
        let end = [head.last?.end, last.map { $0.start + $0.duration }].compactMap { $0 }.max()
        self.init(head.description, choice: choice, end: end)
        guard let last else { return }
        feed = last.feed
        let known = head.known.filter { $0.feed == last.feed }
        follower = PlaylistFollower(resumingAfter: known.map(\.number).max() ?? last.number)
        digests = Dictionary(known.map { ($0.number, $0.digest) }, uniquingKeysWith: { a, _ in a })
    }

    var id: RenditionID { description.id }

    /// Makes listed segments of a list's new entries and decides their times.
    ///
    /// `from` is index of the first new entry. `opensHole` is numbers are missing before it, or a new feed
    /// begins with it. `cause` is the boundary in front of the first entry, if one is known. `hole` is why
    /// time may be missing before a step.
    mutating func list(
        _ list: MediaPlaylist, from: Int, opensHole: Bool, cause: String?, hole: GapReason, arrival: Instant,
        shared: [Int64: Instant],
    ) -> [ListedSegment] {
        guard let feed else { return [] }
        let target = PlaylistFollower.target(of: list)
        let indices = list.segments.indices.filter { $0 >= from }
        let durations = indices.map { usable(list.segments[$0].durationMicroseconds, target: target) }
        let numbers = indices.map { PlaylistFollower.number(list, $0) ?? 0 }
        let entries = indices.indices.map { place in
            TimePlacing.Entry(
                duration: durations[place].value,
                programDateTime: list.segments[indices[place]].programDateTimeMicroseconds.map {
                    Instant(microseconds: $0)
                },
                opensHole: place == 0 && opensHole, sharedStart: shared[numbers[place]])
        }
        let placements = placing.place(entries, arrival: arrival, target: target)
        let available = arrival + entries.reduce(0) { $0 + $1.duration } + list.durationMicroseconds + target
        return indices.indices.map { place in
            let entry = list.segments[indices[place]]
            if entry.discontinuityCount > 0 { domain += 1 }
            var flags: SegmentFlags = durations[place].isCorrected ? .correctedDuration : []
            if list.isIndependentSegments { flags.insert(.independent) }
            let stepped = placements[place].stepped
            return ListedSegment(
                identity: SegmentIdentity(rendition: id, feed: feed, number: numbers[place]), entry: entry,
                start: placements[place].start, duration: placements[place].duration, flags: flags,
                boundary: place == 0 && cause != nil
                    ? cause : entry.discontinuityCount > 0 ? "discontinuity" : stepped ? "hole" : nil,
                hole: stepped ? hole : nil, domain: domain, availableUntil: available)
        }
    }

    /// EXTINF of zero or nonsense is replaced by the target duration: the start of what follows must be decided now.
    private func usable(_ duration: Int64, target: Int64) -> (value: Int64, isCorrected: Bool) {
        duration > 0 && duration <= Limits.longestSegment ? (duration, false) : (target, true)
    }

    /// Counts a stored segment.
    mutating func count(_ fact: SegmentFact) {
        status.stored += 1
        status.bytes += fact.storedBytes
        status.lastSegment = max(status.lastSegment ?? fact.start, fact.start)
        let rate = fact.storedBytes * 8_000_000 / max(fact.duration, 1)
        status.bitsPerSecond = status.bitsPerSecond == 0 ? rate : (status.bitsPerSecond * 7 + rate) / 8
    }

    mutating func countLost(_ reason: GapReason) {
        status.lost[reason, default: 0] += 1
    }
}
