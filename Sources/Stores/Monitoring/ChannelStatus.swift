package import Timeline

/// What a recorder reports about one channel at this moment.
package struct ChannelStatus: Sendable, Equatable, Codable {
    package enum State: String, Sendable, CaseIterable, Codable {
        case recording
        case waiting
        case stalled
        case paused
        case ended
    }

    package var state: State
    /// What is wrong, in words; nil when nothing is.
    package var detail: String?
    package var liveEdge: Instant?
    /// The source in use, without user info and query.
    package var sourceURL: String?
    package var sourcePriority: Int?
    package var acceptsInvalidCertificate = false
    package var clock: String
    /// The source's date minus the arrival time, seconds; nil without dates.
    package var clockOffsetSeconds: Double?
    /// What is taken off the source's dates, seconds: they are in a wrong time zone.
    package var zoneCorrectionSeconds: Int64 = 0
    /// The difference between the host's clock and the recording clock, seconds; 0 while they agree.
    package var clockStepSeconds = 0.0
    /// Why nothing comes at the moment; nil while segments come.
    package var gapReason: GapReason?
    /// How far the source's clock is from the timeline, which follows it slowly; seconds.
    package var driftSeconds = 0.0
    /// How often another source was taken into use.
    package var sourceChanges = 0
    /// Where the newest playlists deviate from the standard, in words.
    package var deviations: [String] = []
    package var renditions: [RenditionStatus]
    /// When this process took over the channel: counts start there.
    package var since: Instant

    package init(state: State, since: Instant) {
        self.state = state
        self.since = since
        clock = "arrival"
        renditions = []
    }
}

/// What a recorder reports about one rendition; counts start when this process took over the channel.
package struct RenditionStatus: Sendable, Equatable, Codable {
    package var id: RenditionID
    /// Start of the newest stored segment.
    package var lastSegment: Instant?
    package var bitsPerSecond: Int64
    /// Segments that the source has listed.
    package var seen: Int
    package var stored: Int
    package var lost: [GapReason: Int]
    /// Tries for segments that failed and were repeated.
    package var retries = 0
    /// Bytes of the stored segments.
    package var bytes: Int64
    /// Absent in what nodes of the version before report.
    private var partCount: Int?
    /// Stored segments that are not whole.
    package var parts: Int {
        get { partCount ?? 0 }
        set { partCount = newValue }
    }

    package init(
        id: RenditionID, lastSegment: Instant? = nil, bitsPerSecond: Int64 = 0, seen: Int = 0,
        stored: Int = 0, lost: [GapReason: Int] = [:], bytes: Int64 = 0,
    ) {
        self.id = id
        self.lastSegment = lastSegment
        self.bitsPerSecond = bitsPerSecond
        self.seen = seen
        self.stored = stored
        self.lost = lost
        self.bytes = bytes
    }
}
