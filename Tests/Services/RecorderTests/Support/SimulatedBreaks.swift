import HLS
import Timeline

@testable import Recorder

/// Breaks for advertising of a simulated source: the first ones of every so many segments are clear, on
/// another host and of other codecs, between two EXT-X-DISCONTINUITY.
struct SimulatedBreaks: Sendable {
    private static let host = "http://ads.test/"

    /// Segments from the begin of a break to that of the next one.
    var period: Int64
    /// Segments of a break.
    var length: Int64

    func holds(_ number: Int64) -> Bool { number % period < length }

    /// Whether the tag stands before a segment.
    func isDiscontinuity(_ number: Int64) -> Bool { number > 0 && holds(number) != holds(number - 1) }

    /// The tags before the segments in front of a number.
    func discontinuitySequence(before number: Int64) -> UInt64 {
        guard number > 0 else { return 0 }
        let (begins, ends) = ((number - 1) / period, (number - 1 - length + period) / period)
        return UInt64(begins + ends)
    }

    func change(_ segment: inout MediaSegment, _ number: Int64) {
        if isDiscontinuity(number) { segment.discontinuityCount = 1 }
        guard holds(number) else { return }
        (segment.uri, segment.keys) = (Self.host + segment.uri, [])
    }

    /// What a segment is found to have, of a break or not.
    static func tracks(of segment: ListedSegment?, in rendition: RenditionID) -> String {
        let isOfBreak = segment?.entry.uri.hasPrefix(host) ?? false
        if rendition.kind == .audio { return isOfBreak ? "audio:ac3" : "audio:aac" }
        return isOfBreak ? "video:h265" : "video:h264"
    }
}
