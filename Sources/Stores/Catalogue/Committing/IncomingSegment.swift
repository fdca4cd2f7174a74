import Timeline

/// A segment on its way into its row.
struct IncomingSegment {
    var channel: Int32
    var fact: SegmentFact
    /// Nil if it only goes to the archive.
    var number: Int64?
    var discontinuitySequence: Int32?
    /// Nothing that begins earlier is stored.
    var expiredBefore: Instant

    /// Where no published discontinuity sequence begins with it, the segment itself says its discontinuity.
    var flags: SegmentFlags {
        discontinuitySequence == nil && fact.boundary != nil ? fact.flags.union(.discontinuity) : fact.flags
    }

    /// The segments of a channel, each identity once: of two with the same one the published one is kept.
    ///
    /// Without the lease they are not published; without the channel's head there are none.
    static func rows(
        of segments: [DecidedSegment], in channel: Int32, _ head: MovedHead?, isPublished: Bool = true,
    ) -> [IncomingSegment] {
        guard let head else { return [] }
        let isPublished = isPublished && head.held
        var seen = Set<SegmentIdentity>()
        let ordered = segments.filter { $0.number != nil } + segments.filter { $0.number == nil }
        return ordered.filter { seen.insert($0.fact.identity).inserted }.map {
            IncomingSegment(
                channel: channel, fact: $0.fact, number: isPublished ? $0.number : nil,
                discontinuitySequence: isPublished ? $0.discontinuitySequence : nil,
                expiredBefore: head.expiredBefore)
        }
    }
}

/// What became of a segment.
struct SegmentEntry {
    var segment: IncomingSegment
    /// Nil if the rendition has no row.
    var rendition: Int32?
    var hasFormat: Bool
    var isEntered: Bool
    /// The summary of its quarter has it.
    var isSummarised: Bool
    /// It is not published, or unpublished segments overlap it, or this is not known.
    var mayOverlap: Bool
}
