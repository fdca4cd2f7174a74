import HLS
import Recorder
import Timeline

/// How an encoder encrypts its segments: AES-128, with a new key every so many of them.
extension Encoder {
    struct Keys: Sendable {
        /// Segments under one key.
        var period: Int
        /// EXT-X-KEY says the initialization vector; else it is the media sequence number.
        var hasExplicitIV: Bool

        init(period: Int, hasExplicitIV: Bool) {
            (self.period, self.hasExplicitIV) = (period, hasExplicitIV)
        }

        init(_ chance: inout SeededRandomNumberGenerator) {
            period = [1, 10, 100, 10_000].randomElement(using: &chance) ?? 10
            hasExplicitIV = chance.happens(in: 2)
        }

        var description: String { "a key for \(period) segments\(hasExplicitIV ? " with vectors" : "")" }
    }

    /// The key that a segment is encrypted with, by number; nil when it is clear.
    func keyNumber(of index: Int) -> Int? { settings.keys.map { index / $0.period } }

    /// The initialization vector that opens a segment.
    func vector(of index: Int, _ rendition: RenditionID) -> UInt128 {
        settings.keys?.hasExplicitIV ?? false
            ? UInt128(index) * 7 + 13 : UInt128(segments[index].number + step(of: rendition).numbers)
    }

    /// The EXT-X-KEY of a segment; nil when it is clear.
    func key(of index: Int, _ rendition: RenditionID) -> Key? {
        guard let keys = settings.keys, let number = keyNumber(of: index) else { return nil }
        return Key(
            method: .aes128, uri: "/key/\(number)",
            initializationVector: keys.hasExplicitIV ? vector(of: index, rendition) : nil)
    }
}

/// EXT-X-DISCONTINUITY.
extension Encoder {
    /// Counts the stretches in which timestamps are continuous; nil where they always are.
    func domain(of index: Int) -> Int64? {
        settings.discontinuityDistance.map { (segments[index].begin - Scenario.begin + 60_000_000) / $0 }
    }

    /// Whether EXT-X-DISCONTINUITY precedes a segment; never before the first one of a source run.
    func isDiscontinuity(_ index: Int) -> Bool {
        index > begin(ofSourceRun: segments[index].sourceRun) && domain(of: index) != domain(of: index - 1)
    }

    /// Tags that have left the playlist which begins with a segment.
    func discontinuitySequence(before index: Int) -> UInt64? {
        guard let domain = domain(of: index),
            let first = self.domain(of: begin(ofSourceRun: segments[index].sourceRun))
        else { return nil }
        return UInt64(domain - first) - (isDiscontinuity(index) ? 1 : 0)
    }
}

/// Renditions that are out of step: their numbers and cuts say nothing of each other (RFC 8216bis §6.2.4).
extension Encoder {
    struct Step: Sendable {
        /// Its numbers are so much higher.
        var numbers: Int64 = 0
        /// How many microseconds later its segments start and are listed.
        var later: Int64 = 0

        var description: String { "counts \(numbers) more and cuts \(later / 1000) ms later" }
    }

    func step(of rendition: RenditionID) -> Step { settings.steps[rendition] ?? Step() }

    /// When the media of a rendition's segment was live, true time.
    func begin(of index: Int, _ rendition: RenditionID) -> Instant {
        segments[index].begin + step(of: rendition).later
    }
}

/// EXT-X-DATERANGE.
extension Encoder {
    /// A break for advertising.
    struct Break {
        var id: String
        /// True time.
        var window: TimeWindow
    }

    /// The breaks to announce in a window; none unless dates are right or off by a time zone.
    func breaks(in window: TimeWindow) -> [Break] {
        guard settings.hasMarkers, [.right, .wrongZone].contains(settings.dates), dateJumps.isEmpty else {
            return []
        }
        let (distance, length) = (Int64(97_000_000), Int64(21_000_000))
        let first = max(0, (window.begin - Scenario.begin - length) / distance)
        let last = max(first, (window.end - Scenario.begin) / distance)
        return (first...last).map { number in
            let begin = Scenario.begin + number * distance
            return Break(
                id: "break-\(index)-\(number)", window: TimeWindow(begin: begin, end: begin + length))
        }.filter { $0.window.overlaps(window) }
    }

    /// Those of a playlist with these segments.
    func dateRanges(in range: Range<Int>) -> [DateRange] {
        guard let first = range.first, let last = range.last, settings.hasMarkers else { return [] }
        return breaks(in: TimeWindow(begin: segments[first].begin, end: segments[last].end)).map {
            var stated = DateRange(
                id: $0.id, startMicroseconds: ($0.window.begin + settings.dateError).microseconds)
            stated.durationMicroseconds = $0.window.microseconds
            return stated
        }
    }
}
