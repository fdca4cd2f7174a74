import Catalogue
import MediaFormat
import Timeline

/// The media of a rendition's newest segments: another source may list the same, with another latency or
/// under other dates.
struct HeldMedia: Sendable {
    private struct Piece: Sendable {
        var identity: SegmentIdentity
        var window: TimeWindow
        /// In units of 90 kHz, modulo 2^33.
        var timestamp: Int64?
        var digest: [UInt8]
    }

    /// In the order in which they were stored.
    private var pieces: [Piece] = []
    /// Digests of segments whose timestamps do not fit those of the other segments.
    private var splicedDigests: [[UInt8]] = []

    var isEmpty: Bool { pieces.isEmpty }

    /// How many segments are known.
    var count: Int { pieces.count }

    var hasTimestamps: Bool { pieces.contains { $0.timestamp != nil } }

    mutating func add(_ fact: SegmentFact) {
        add(
            Piece(
                identity: fact.identity, window: TimeWindow(begin: fact.start, end: fact.end),
                timestamp: fact.firstTimestamp, digest: fact.digest))
    }

    /// Takes a segment whose timestamps say nothing of the other segments'.
    mutating func addSpliced(_ fact: SegmentFact) {
        splicedDigests.append(fact.digest)
        if splicedDigests.count > Limits.heldMedia { splicedDigests.removeFirst() }
    }

    /// Takes a segment that an earlier process stored.
    mutating func add(_ known: KnownSegment, of rendition: RenditionID) {
        add(
            Piece(
                identity: SegmentIdentity(rendition: rendition, run: known.run, number: known.number),
                window: TimeWindow(begin: known.start, end: known.start + known.duration),
                timestamp: known.firstTimestamp, digest: known.digest))
    }

    private mutating func add(_ piece: Piece) {
        pieces.append(piece)
        if pieces.count > 2 * Limits.heldMedia { pieces.removeFirst(Limits.heldMedia) }
    }

    /// The digest of a segment that is held; nil when it is not one of the newest.
    func digest(of identity: SegmentIdentity) -> [UInt8]? {
        pieces.last { $0.identity == identity }?.digest
    }

    /// Whether the same bytes are held.
    func holds(_ digest: [UInt8]) -> Bool {
        holdsSpliced(digest) || pieces.contains { $0.digest == digest }
    }

    /// Whether a spliced segment with the same bytes is held.
    func holdsSpliced(_ digest: [UInt8]) -> Bool { splicedDigests.contains(digest) }

    /// The start of another source's segment on the timeline; nil if nothing shows it.
    ///
    /// Equal bytes mean the same segment; of a repeated slate, the nearest one. Timestamps are used if they
    /// lead to about the expected time, because those of unrelated encoders hardly ever do.
    func start(of probed: ProbedSegment, near expected: Instant) -> Instant? {
        let same = probed.digest.isEmpty ? [] : pieces.filter { $0.digest == probed.digest }
        let nearest = same.min {
            ($0.window.begin - expected).magnitude < ($1.window.begin - expected).magnitude
        }
        if let nearest { return nearest.window.begin }
        guard let timestamp = probed.firstTimestamp else { return nil }
        let stretches = stretches
        let starts = stretches.enumerated().compactMap { position, stretch in
            // Timestamps outside of all stretches are placed relative to the newest stretch.
            Self.start(of: timestamp, in: stretch, orBeside: position == stretches.count - 1)
        }.filter { ($0.begin - expected).magnitude <= Limits.sourceLatency.magnitude }
        let held = starts.filter(\.isHeld)
        return (held.isEmpty ? starts : held).map(\.begin).min {
            ($0 - expected).magnitude < ($1 - expected).magnitude
        }
    }

    /// Whether held timestamps show that a segment with other bytes is held at a start.
    ///
    /// Near the start of a stretch they show nothing: a restarted encoder may start with the same timestamps
    /// again.
    func shows(_ probed: ProbedSegment, at start: Instant, behind time: Int64) -> Bool {
        guard let timestamp = probed.firstTimestamp, !probed.digest.isEmpty else { return false }
        return stretches.contains { stretch in
            guard let first = stretch.first, start >= first.window.begin + time else { return false }
            return Self.start(of: timestamp, in: stretch, orBeside: false)?.begin == start
        }
    }

    /// The instant of a timestamp by the pieces of one stretch, and whether it lies within the stretch; nil
    /// when it lies outside, unless `orBeside`.
    private static func start(
        of timestamp: Int64, in stretch: [Piece], orBeside: Bool,
    ) -> (begin: Instant, isHeld: Bool)? {
        let starts = stretch.map { $0.window.begin + distance(from: $0.timestamp ?? 0, to: timestamp) }
        // The nearest piece, as durations on the timeline may be wrong.
        let nearest = zip(stretch, starts).min {
            ($0.1 - $0.0.window.begin).magnitude < ($1.1 - $1.0.window.begin).magnitude
        }
        guard let begin = nearest?.1, let first = stretch.first, let last = stretch.last else { return nil }
        let isHeld = begin >= first.window.begin && begin < last.window.end
        return isHeld || orBeside ? (begin, isHeld) : nil
    }

    /// Counts the consecutive held segments from the one with a digest on, and finds the end of the last one.
    ///
    /// Counts at most `limit`, including the first; nil if no segment has the digest.
    func held(from digest: [UInt8], atMost limit: Int = .max) -> (count: Int, end: Instant)? {
        guard !digest.isEmpty, let first = pieces.last(where: { $0.digest == digest }) else { return nil }
        let windows = Dictionary(
            pieces.filter { $0.identity.run == first.identity.run }.map { ($0.identity.number, $0.window) },
            uniquingKeysWith: { $1 })
        var (count, end) = (1, first.window.end)
        while count < limit, let next = windows[first.identity.number + Int64(count)],
            (next.begin - end).magnitude <= Limits.timestampSlack.magnitude
        {
            (count, end) = (count + 1, next.end)
        }
        return (count, end)
    }

    /// The segment of a run with the highest number below another one, and where its media begin, in units of
    /// 90 kHz; nil when none is held.
    func last(of run: Int64, before number: Int64) -> (number: Int64, window: TimeWindow, timestamp: Int64)? {
        let earlier = pieces.filter { $0.identity.run == run && $0.identity.number < number }
        guard let last = earlier.max(by: { $0.identity.number < $1.identity.number }) else { return nil }
        return last.timestamp.map { (last.identity.number, last.window, $0) }
    }

    /// Microseconds from a timestamp to the start of the segment that follows `identity`; nil if that segment
    /// is not held or the distance exceeds `limit`.
    func length(from timestamp: Int64, upTo limit: Int64, after identity: SegmentIdentity) -> Int64? {
        let next = pieces.last {
            $0.identity.run == identity.run && $0.identity.number == identity.number + 1
        }
        guard let end = next?.timestamp else { return nil }
        let length = Self.distance(from: timestamp, to: end)
        return (1...max(1, limit)).contains(length) ? length : nil
    }

    /// How long the newest segments of a run are, as the timestamps of neighbours show, microseconds.
    func lengths(in run: Int64) -> [Int64] {
        var begins: [Int64: Int64] = [:]
        for piece in pieces where piece.identity.run == run {
            begins[piece.identity.number] = piece.timestamp
        }
        return begins.keys.sorted().suffix(Limits.measuredSegments).compactMap { number in
            guard let begin = begins[number], let end = begins[number + 1] else { return nil }
            let length = Self.distance(from: begin, to: end)
            return (1...Limits.longestSegment).contains(length) ? length : nil
        }
    }

    /// The number of a run's segment that contains a timestamp, and the distance from its start,
    /// microseconds; nil if there is none.
    func position(of timestamp: Int64, in run: Int64) -> (number: Int64, later: Int64)? {
        for index in pieces.indices.reversed() where pieces[index].identity.run == run {
            guard let other = pieces[index].timestamp else { continue }
            let later = Self.distance(from: other, to: timestamp)
            if later.magnitude <= Limits.sameTimestamp.magnitude {
                return (pieces[index].identity.number, 0)
            }
            guard later > 0, later < pieces[index].window.microseconds - Limits.sameTimestamp else {
                continue
            }
            return (pieces[index].identity.number, later)
        }
        return nil
    }

    /// The pieces with timestamps, in order of time, split where the timestamps are not continuous.
    private var stretches: [[Piece]] {
        let timed = pieces.filter { $0.timestamp != nil }.sorted { $0.window.begin < $1.window.begin }
        var stretches: [[Piece]] = []
        for piece in timed {
            if let previous = stretches.last?.last, Self.isContinued(previous, by: piece) {
                stretches[stretches.count - 1].append(piece)
            } else {
                stretches.append([piece])
            }
        }
        return stretches
    }

    private static func isContinued(_ previous: Piece, by piece: Piece) -> Bool {
        let media = distance(from: previous.timestamp ?? 0, to: piece.timestamp ?? 0)
        let line = piece.window.begin - previous.window.begin
        return (media - line).magnitude <= Limits.timestampSlack.magnitude + line.magnitude / 10
    }

    /// From one timestamp to another, microseconds.
    static func distance(from one: Int64, to other: Int64) -> Int64 {
        let ticks = PresentationTime.difference(UInt64(bitPattern: other), UInt64(bitPattern: one))
        return ticks * Microseconds.perSecond / Int64(PresentationTime.timescale)
    }
}

/// What was read of a segment that is not kept.
package struct ProbedSegment: Sendable, Equatable {
    /// SHA-256 of the segment as it would be stored.
    package var digest: [UInt8]
    /// In units of 90 kHz; nil where the media do not say one.
    package var firstTimestamp: Int64?
    /// How long its media play, microseconds; nil where that is not known.
    package var measuredDuration: Int64?

    /// It could not be read.
    static let unread = ProbedSegment(digest: [])

    package init(digest: [UInt8], firstTimestamp: Int64? = nil, measuredDuration: Int64? = nil) {
        self.digest = digest
        self.firstTimestamp = Limits.plausibleTimestamp(firstTimestamp)
        self.measuredDuration = Limits.plausibleDuration(measuredDuration)
    }
}

/// An entry of another source's playlist that shows media of the timeline.
struct JoinPoint: Sendable, Equatable {
    var number: Int64
    /// Where its media begin.
    var start: Instant
    /// How many entries from this one on are held, and where the last of them ends; nil if none are held.
    var held: Held?

    struct Held: Sendable, Equatable {
        var count: Int
        var end: Instant
    }
}
