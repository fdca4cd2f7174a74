package import Timeline

/// What one channel's recorder enters at once: facts with what the publisher decided of them.
///
/// Entering the same batch twice does no more than entering it once.
package struct Batch: Sendable {
    package var channel: Int32
    /// The lease under which it was decided; a stale one enters the facts unpublished.
    package var fence: Int64
    package var publishedHead: PublishedHeadUpdate
    package var renditions: [RenditionDescription]
    package var sourceRuns: [SourceRun]
    package var discontinuityStarts: [DiscontinuityStart]
    package var segments: [DecidedSegment]
    package var losses: [Loss]
    /// Segments whose bytes are kept and cannot be read yet: intake knows them, playlists do not.
    package var keyPending: [KeyPendingSegment]
    /// Identities that will not be stored any more.
    package var lost: [PlacedSegment]

    /// A batch of a node that does not hold the channel: its facts go to the archive only.
    package init(unpublishedIn channel: Int32) {
        let nothing = Instant(microseconds: 0)
        self.init(
            channel: channel, fence: -1,
            publishedHead: PublishedHeadUpdate(
                discontinuitySequence: 0, end: nothing, watermark: nothing, targetSeconds: 0))
    }

    package init(channel: Int32, fence: Int64, publishedHead: PublishedHeadUpdate) {
        self.channel = channel
        self.fence = fence
        self.publishedHead = publishedHead
        renditions = []
        sourceRuns = []
        discontinuityStarts = []
        segments = []
        losses = []
        keyPending = []
        lost = []
    }
}

/// How far the published log has come after a batch.
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

/// A fact and its place in the published log; nil number: the archive only.
package struct DecidedSegment: Sendable, Equatable {
    package var fact: SegmentFact
    package var number: Int64?
    /// Nil takes the last epoch that begins before the segment's middle.
    package var discontinuitySequence: Int32?

    package init(fact: SegmentFact, number: Int64?, discontinuitySequence: Int32?) {
        self.fact = fact
        self.number = number
        self.discontinuitySequence = discontinuitySequence
    }
}

/// The beginning of a discontinuity domain.
package struct DiscontinuityStart: Sendable, Equatable {
    package var sequence: Int32
    package var begin: Instant
    package var cause: String
    package var targetSeconds: Int

    package init(sequence: Int32, begin: Instant, cause: String, targetSeconds: Int) {
        self.sequence = sequence
        self.begin = begin
        self.cause = cause
        self.targetSeconds = targetSeconds
    }
}
