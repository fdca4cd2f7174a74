package import Timeline

/// The segments of one rendition that an answer lists.
package struct ListedRendition: Sendable {
    package var description: RenditionDescription
    package var segments: [RecordedSegment]

    package var id: RenditionID { description.id }

    /// Microseconds of a window that no listed segment covers; differences below a millisecond are none.
    func missing(in window: TimeWindow) -> Int64 {
        var missing: Int64 = 0
        var covered = window.begin
        for segment in segments {
            let pause = min(segment.start, window.end) - covered
            if pause > Limits.grain { missing += pause }
            covered = max(covered, segment.end)
        }
        let rest = window.end - covered
        return rest > Limits.grain ? missing + rest : missing
    }

    /// The largest EXTINF, rounded to the nearest second, at least 1 (RFC 8216, 4.3.3.1).
    var targetSeconds: Int {
        let longest = segments.reduce(0) { max($0, $1.duration) }
        return max(1, Int((longest + Microseconds.perSecond / 2) / Microseconds.perSecond))
    }
}
