import Concurrency
import Timeline

/// A time range of a rendition that one source did not deliver and another source may still list.
struct Hole: Sendable, Equatable {
    var rendition: RenditionID
    var window: TimeWindow
    /// The URL of the source that brought nothing.
    var source: String
    var since: SteadyInstant
    /// The URLs of sources that list other media at this time.
    var excludedSources: Set<String> = []
    /// The segment of that source of which a part is stored; nil where nothing is.
    var segment: SegmentIdentity?
    /// How many segments of other sources could not replace the part.
    var tries = 0

    /// Whether another source may have what is missing.
    func mayBeFilled(by other: SourceSettings) -> Bool {
        other.url != source && !excludedSources.contains(other.url)
    }

    /// The part of a window that lies in the hole; nil if that is too little.
    ///
    /// A segment that another source cuts differently may lie outside the hole by up to a quarter of its
    /// length. A replacement for an incomplete segment must start and end where that segment does.
    func part(of window: TimeWindow) -> TimeWindow? {
        if segment != nil {
            let off = max(
                (window.begin - self.window.begin).magnitude, (window.end - self.window.end).magnitude)
            let slack = min(Limits.timestampSlack, self.window.microseconds / 4).magnitude
            return off <= slack ? self.window : nil
        }
        let part = window.clamped(to: self.window)
        return !part.isEmpty && part.microseconds >= window.microseconds / 4 * 3 ? part : nil
    }
}

/// The place of a segment from another source that is to fill a hole.
struct Repair: Sendable {
    var hole: Hole
    /// Where its media start, according to that source's playlist; nil means at the start of its window.
    var mediaStart: Instant?
    /// Timestamps or bytes of the segments in that playlist show the place; false if only dates do.
    var isShown = false
}

/// Keeps track of segments that did not arrive in their turn, so that no time range is stored twice.
///
/// The source in use and another source may both deliver the same time range.
struct MissingSegments: Sendable {
    private struct RenditionWindow: Sendable {
        var rendition: RenditionID
        var window: TimeWindow
    }

    /// Segments that are still requested from the source in use, or lost.
    private var missingSegments: [SegmentIdentity: TimeWindow] = [:]
    /// Those of them that came after all.
    private var recovered: [RenditionWindow] = []
    /// What came from other sources.
    private var repaired: [RenditionWindow] = []

    /// Records that a segment did not arrive in its turn.
    ///
    /// - Returns: false when that was known
    mutating func beginSearch(_ segment: PlacedSegment) -> Bool {
        if missingSegments.count > Limits.holes { missingSegments = [:] }
        return missingSegments.updateValue(segment.window, forKey: segment.identity) == nil
    }

    /// A segment came from the source in use.
    ///
    /// - Returns: whether another one has brought it already
    mutating func came(_ segment: PlacedSegment) -> Bool {
        guard missingSegments.removeValue(forKey: segment.identity) != nil else { return false }
        let part = RenditionWindow(rendition: segment.identity.rendition, window: segment.window)
        if Self.covers(repaired, part) { return true }
        Self.keep(&recovered, part)
        return false
    }

    /// Whether the source in use has brought the time of a repair.
    func isRecovered(_ segment: PlacedSegment) -> Bool {
        Self.covers(recovered, RenditionWindow(rendition: segment.identity.rendition, window: segment.window))
    }

    /// A segment came from another source.
    ///
    /// - Returns: the segments that need not be tried for any more
    mutating func repaired(_ segment: PlacedSegment) -> [PlacedSegment] {
        let id = segment.identity.rendition
        Self.keep(&repaired, RenditionWindow(rendition: id, window: segment.window))
        return missingSegments.filter {
            $0.key.rendition == id && $0.value.overlaps(segment.window)
                && Self.covers(repaired, RenditionWindow(rendition: id, window: $0.value))
        }.map { PlacedSegment(identity: $0.key, start: $0.value.begin, duration: $0.value.microseconds) }
    }

    private static func keep(_ parts: inout [RenditionWindow], _ part: RenditionWindow) {
        parts.append(part)
        if parts.count > Limits.holes { parts.removeFirst() }
    }

    /// Whether parts cover more than half of one.
    private static func covers(_ parts: [RenditionWindow], _ part: RenditionWindow) -> Bool {
        let held = parts.lazy.filter { $0.rendition == part.rendition && $0.window.overlaps(part.window) }
            .reduce(Int64(0)) { $0 + $1.window.clamped(to: part.window).microseconds }
        return held > part.window.microseconds / 2
    }
}
