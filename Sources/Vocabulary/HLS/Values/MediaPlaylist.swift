/// The segments of one rendition in order, with the tags that apply to all of them.
package struct MediaPlaylist: Sendable, Equatable, CommonTags {
    package enum PlaylistType: String, Sendable, Hashable {
        case event = "EVENT"
        case videoOnDemand = "VOD"
    }

    package var version: Int?
    package var isIndependentSegments = false
    package var start: StartPoint?
    package var definitions: [Definition] = []
    package var allowsCache: Bool?
    package var unknownLines: [String] = []

    /// Whole seconds, at least 1; nil only when neither the playlist nor a segment gives a duration.
    package var targetDurationSeconds: Int?
    /// Whether the target duration was derived from the segments, because the playlist gives none.
    package var isTargetDurationDerived = false
    /// The number of the first segment before any are skipped; `number(at:)` gives the number of each.
    package var mediaSequence: UInt64 = 0
    package var discontinuitySequence: UInt64?
    package var type: PlaylistType?
    package var isIFramesOnly = false
    package var isEnded = false
    package var skip: Skip?
    package var dateRanges: [DateRange] = []

    /// Low-latency tags: not interpreted, but written again.
    package var serverControl: AttributeList?
    package var partInformation: AttributeList?
    package var preloadHints: [AttributeList] = []
    package var renditionReports: [AttributeList] = []

    package var segments: [MediaSegment] = []
    /// Lines after the last segment as they are: parts of a segment that is not listed yet, unknown tags,
    /// comments.
    package var trailingLines: [String] = []

    package init() {}
}

extension MediaPlaylist {
    /// The segments a delta update leaves out (EXT-X-SKIP).
    package struct Skip: Sendable, Hashable {
        package var segmentCount: UInt64
        /// RECENTLY-REMOVED-DATERANGES, tab-separated as in the playlist.
        package var removedDateRanges: String?
        package var otherAttributes: AttributeList

        package init(
            segmentCount: UInt64, removedDateRanges: String? = nil,
            otherAttributes: AttributeList = AttributeList(),
        ) {
            self.segmentCount = segmentCount
            self.removedDateRanges = removedDateRanges
            self.otherAttributes = otherAttributes
        }
    }

    /// The media sequence number of the segment at an index, counting skipped ones (RFC 8216bis §4.4.5.2).
    package func number(at index: Int) -> UInt64 {
        let base = mediaSequence.addingReportingOverflow(skip?.segmentCount ?? 0)
        let sum = base.partialValue.addingReportingOverflow(UInt64(clamping: index))
        return base.overflow || sum.overflow ? .max : sum.partialValue
    }

    /// The sum of all durations.
    package var durationMicroseconds: Int64 {
        segments.reduce(0) { sum, segment in
            let (total, overflowed) = sum.addingReportingOverflow(segment.durationMicroseconds)
            return overflowed ? .max : total
        }
    }
}

extension MediaPlaylist.Skip {
    /// Reads the attributes of a skip; nil without SKIPPED-SEGMENTS.
    init?(_ attributes: AttributeList) {
        var rest = attributes
        guard let count: UInt64 = rest.take(integer: "SKIPPED-SEGMENTS") else { return nil }
        self.init(segmentCount: count, removedDateRanges: rest.take("RECENTLY-REMOVED-DATERANGES"))
        otherAttributes = rest
    }

    /// The attributes to write.
    var attributes: AttributeList {
        var list = AttributeList()
        list.append("SKIPPED-SEGMENTS", segmentCount)
        list.append("RECENTLY-REMOVED-DATERANGES", quoted: removedDateRanges)
        list.append(otherAttributes)
        return list
    }
}
