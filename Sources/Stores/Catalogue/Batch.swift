package import Timeline

/// What one channel's recorder enters at once: facts with what the publisher decided of them.
///
/// Entering the same batch twice does no more than entering it once.
package struct Batch: Sendable {
    package var channel: Int32
    /// The lease under which it was decided; a stale one enters the facts unpublished.
    package var fence: Int64
    package var line: LineUpdate
    package var renditions: [RenditionDescription]
    package var feeds: [FeedFact]
    package var epochs: [EpochFact]
    package var segments: [DecidedSegment]
    package var losses: [Loss]
    /// Segments whose bytes are kept and cannot be read yet: intake knows them, playlists do not.
    package var keyPending: [KeyPendingSegment]
    /// Identities that will not be stored any more.
    package var lost: [LostSegment]

    /// A batch of a node that does not hold the channel: its facts go to the archive only.
    package init(unpublishedIn channel: Int32) {
        let nothing = Instant(microseconds: 0)
        self.init(
            channel: channel, fence: -1,
            line: LineUpdate(epoch: 0, end: nothing, watermark: nothing, targetSeconds: 0))
    }

    package init(channel: Int32, fence: Int64, line: LineUpdate) {
        self.channel = channel
        self.fence = fence
        self.line = line
        renditions = []
        feeds = []
        epochs = []
        segments = []
        losses = []
        keyPending = []
        lost = []
    }
}

/// How far the published log has come after a batch.
package struct LineUpdate: Sendable, Equatable {
    package var epoch: Int32
    package var end: Instant
    package var watermark: Instant
    package var targetSeconds: Int

    package init(epoch: Int32, end: Instant, watermark: Instant, targetSeconds: Int) {
        self.epoch = epoch
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
    package var epoch: Int32?

    package init(fact: SegmentFact, number: Int64?, epoch: Int32?) {
        self.fact = fact
        self.number = number
        self.epoch = epoch
    }
}

package struct LostSegment: Sendable, Equatable {
    package var identity: SegmentIdentity
    package var start: Instant
    package var duration: Int64

    package init(identity: SegmentIdentity, start: Instant, duration: Int64) {
        self.identity = identity
        self.start = start
        self.duration = duration
    }
}

/// The beginning of a discontinuity domain.
package struct EpochFact: Sendable, Equatable {
    package var epoch: Int32
    package var begin: Instant
    package var cause: String
    package var targetSeconds: Int

    package init(epoch: Int32, begin: Instant, cause: String, targetSeconds: Int) {
        self.epoch = epoch
        self.begin = begin
        self.cause = cause
        self.targetSeconds = targetSeconds
    }
}
