package import Timeline

/// Everything that the recorder of one channel commits at once: segments and what the publisher decided about
/// them.
///
/// Committing the same batch twice has the same effect as committing it once.
package struct Batch: Sendable {
    package var channel: Int32
    /// Number of the lease under which the batch was made.
    ///
    /// If the lease has passed to another node, the segments are stored without being published.
    package var fence: Int64
    /// The node that took this lease; nil compares the fence alone.
    package var node: String?
    package var publishedHead: PublishedHeadUpdate
    package var renditions: [RenditionDescription]
    package var sourceRuns: [SourceRun]
    package var discontinuityStarts: [DiscontinuityStart]
    package var segments: [DecidedSegment]
    package var losses: [Loss]
    package var markers: [Marker]
    /// Segments that are stored but whose key has not arrived.
    ///
    /// They count as seen, but no playlist lists them.
    package var keyPending: [KeyPendingSegment]
    /// Segments that will never be stored.
    package var lost: [PlacedSegment]
    /// Segments that were not published in their turn and are still to be fetched.
    package var listed: [PlacedSegment]

    /// A batch of a node that does not hold the lease: its segments only go to the archive.
    package init(unpublishedIn channel: Int32) {
        let nothing = Instant(microseconds: 0)
        self.init(
            channel: channel, fence: -1,
            publishedHead: PublishedHeadUpdate(
                discontinuitySequence: 0, end: nothing, watermark: nothing, targetSeconds: 0))
    }

    package init(channel: Int32, fence: Int64, node: String? = nil, publishedHead: PublishedHeadUpdate) {
        self.channel = channel
        self.fence = fence
        self.node = node
        self.publishedHead = publishedHead
        renditions = []
        sourceRuns = []
        discontinuityStarts = []
        segments = []
        losses = []
        markers = []
        keyPending = []
        lost = []
        listed = []
    }
}

/// The state of the published log after a batch.
package struct PublishedHeadUpdate: Sendable, Equatable {
    package var discontinuitySequence: Int32
    package var end: Instant
    package var watermark: Instant
    package var targetSeconds: Int

    package init(discontinuitySequence: Int32, end: Instant, watermark: Instant, targetSeconds: Int) {
        self.discontinuitySequence = discontinuitySequence
        self.end = end
        self.watermark = watermark
        self.targetSeconds = targetSeconds
    }
}

/// A segment and its place in the published log; without a number it only goes to the archive.
package struct DecidedSegment: Sendable, Equatable {
    package var fact: SegmentFact
    package var number: Int64?
    /// Nil selects the last discontinuity sequence that begins before the middle of the segment.
    package var discontinuitySequence: Int32?

    package init(fact: SegmentFact, number: Int64?, discontinuitySequence: Int32?) {
        self.fact = fact
        self.number = number
        self.discontinuitySequence = discontinuitySequence
    }
}

/// The beginning of a new discontinuity sequence.
package struct DiscontinuityStart: Sendable, Equatable {
    package var sequence: Int32
    package var begin: Instant
    package var cause: DiscontinuityCause
    package var targetSeconds: Int

    package init(sequence: Int32, begin: Instant, cause: DiscontinuityCause, targetSeconds: Int) {
        self.sequence = sequence
        self.begin = begin
        self.cause = cause
        self.targetSeconds = targetSeconds
    }
}
