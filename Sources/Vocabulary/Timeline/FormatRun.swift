/// Consecutive segments of one rendition without a hole that can be in one playlist.
package protocol FormatRun {
    var window: TimeWindow { get }
    var format: SegmentFormat { get }
}

extension FormatRun {
    /// Whether it is so long that ending an answer is better than leaving it out.
    package var isLong: Bool { window.microseconds >= SegmentFormat.longRunMicroseconds }
}

extension Sequence where Element: FormatRun {
    /// The run of an answer to which the others are compared: the first one, unless it is short and lacks a
    /// track of the next one, or its tracks are unknown.
    package var reference: Element? {
        var found: Element?
        for run in self {
            guard let reference = found else {
                found = run
                continue
            }
            if reference.isLong, !reference.format.tracks.isEmpty { break }
            if run.format.joins(reference.format) {
                if run.format.tracks.isEmpty { continue }
                if run.isLong || reference.format.tracks.isEmpty { found = run }
                continue
            }
            guard !reference.isLong, reference.format.lacksTracks(of: run.format) else { break }
            found = run
        }
        return found
    }
}
