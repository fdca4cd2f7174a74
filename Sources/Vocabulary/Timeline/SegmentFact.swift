/// Everything known about a segment once its bytes are durable in the archive.
///
/// A journal line holds all of it. Public as `RecordedSegment` is.
public struct SegmentFact: Sendable, Equatable, Codable {
    package var channel: ChannelID
    package var identity: SegmentIdentity
    /// Decided once, when the segment was first listed.
    public var start: Instant
    /// Microseconds, more than zero.
    public var duration: Int64
    package var revision: Int16
    /// The revision that these bytes replace, because they are better; nil for the first bytes.
    package var replaces: Int16?
    package var format: SegmentFormat
    public var flags: SegmentFlags
    package var storedBytes: Int64
    /// Length after decryption; equal to `storedBytes` for clear segments.
    package var plainBytes: Int64
    /// The initialization vector in effect, 16 bytes; nil for clear segments.
    package var iv: [UInt8]?
    /// EXT-X-PROGRAM-DATE-TIME of the source.
    package var programDateTime: Instant?
    /// When the playlist that first listed the segment was fetched.
    package var arrived: Instant
    /// The first timestamp in the media, in units of 90 kHz.
    package var firstTimestamp: Int64?
    /// How long the media of the leading track play, microseconds; nil if they cannot be measured or are not
    /// whole.
    public var measuredDuration: Int64?
    /// SHA-256 of the stored bytes.
    package var digest: [UInt8]
    /// The number of the lease under which the segment was recorded.
    package var fence: Int64
    /// Why a discontinuity lies before the segment; nil if it continues the previous one seamlessly.
    package var boundary: DiscontinuityCause?
    /// Where the key frames of the video lie; nil if none are known.
    package var keyFrames: KeyFrames?
    /// Nil if there are none, so that a line without them is as it was before they were recorded.
    private var storedCueTags: [String]?

    package init(
        channel: ChannelID, identity: SegmentIdentity, start: Instant, duration: Int64, revision: Int16 = 0,
        format: SegmentFormat, flags: SegmentFlags = [], storedBytes: Int64, plainBytes: Int64,
        iv: [UInt8]? = nil,
        programDateTime: Instant? = nil, arrived: Instant, firstTimestamp: Int64? = nil,
        measuredDuration: Int64? = nil, digest: [UInt8], fence: Int64, boundary: DiscontinuityCause? = nil,
        keyFrames: KeyFrames? = nil, cueTags: [String] = [],
    ) {
        self.channel = channel
        self.identity = identity
        self.start = start
        self.duration = duration
        self.revision = revision
        self.format = format
        self.flags = flags
        self.storedBytes = storedBytes
        self.plainBytes = plainBytes
        self.iv = iv
        self.programDateTime = programDateTime
        self.arrived = arrived
        self.firstTimestamp = firstTimestamp
        self.measuredDuration = measuredDuration
        self.digest = digest
        self.fence = fence
        self.boundary = boundary
        self.keyFrames = keyFrames
        self.cueTags = cueTags
    }

    private enum CodingKeys: String, CodingKey {
        case channel, identity, start, duration, revision, replaces
        case format = "state"
        case flags, storedBytes, plainBytes, iv, programDateTime, arrived, firstTimestamp
        case measuredDuration, digest, fence, boundary
        case keyFrames = "key_frames"
        case storedCueTags = "cue_tags"
    }

    public init(from decoder: any Decoder) throws {
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        let storedBytes: Int64 = try stored.read(.storedBytes)
        self.init(
            channel: try stored.read(.channel), identity: try stored.read(.identity),
            start: try stored.read(.start), duration: try stored.read(.duration),
            revision: try stored.read(.revision, default: 0), format: try stored.read(.format),
            flags: try stored.read(.flags, default: []), storedBytes: storedBytes,
            plainBytes: try stored.read(.plainBytes, default: storedBytes), iv: try stored.readIfPresent(.iv),
            programDateTime: try stored.readIfPresent(.programDateTime), arrived: try stored.read(.arrived),
            firstTimestamp: try stored.readIfPresent(.firstTimestamp),
            measuredDuration: try stored.readIfPresent(.measuredDuration), digest: try stored.read(.digest),
            fence: try stored.read(.fence), boundary: try stored.readIfPresent(.boundary),
            keyFrames: try stored.readIfPresent(.keyFrames),
            cueTags: try stored.read(.storedCueTags, default: []))
        replaces = try stored.readIfPresent(.replaces)
    }

    /// The source's cue tags before the segment, as received; they mark breaks for advertising.
    ///
    /// Unknown tags follow them; playlists do not list those.
    package var cueTags: [String] {
        get { storedCueTags ?? [] }
        set { storedCueTags = newValue.isEmpty ? nil : newValue }
    }

    /// How long the media play by the best that is known, microseconds: what EXTINF says.
    @inlinable public var mediaDuration: Int64 {
        flags.contains(.measuredDuration) ? measuredDuration ?? duration : duration
    }

    @inlinable public var end: Instant { start + duration }

    package var name: SegmentName {
        SegmentName(start: start, revision: revision, fileExtension: format.container)
    }

    package var key: ArchiveKey {
        .segment(channel, identity.rendition, name)
    }
}

/// Identifies a segment of a source; recording the same identity twice has no effect.
package struct SegmentIdentity: Hashable, Sendable, Codable {
    package var rendition: RenditionID
    /// The source run: one unbroken numbering of one source.
    package var run: Int64
    /// The source's media sequence number.
    package var number: Int64

    package init(rendition: RenditionID, run: Int64, number: Int64) {
        self.rendition = rendition
        self.run = run
        self.number = number
    }

    private enum CodingKeys: String, CodingKey {
        case rendition
        case run = "feed"
        case number
    }
}

/// Properties of a segment that answers or reports need; public as `Instant` is.
public struct SegmentFlags: OptionSet, Hashable, Sendable, Codable {
    public let rawValue: Int16

    @inlinable public init(rawValue: Int16) {
        self.rawValue = rawValue
    }

    /// EXTINF was unusable, and the duration was measured or taken from the target duration.
    @inlinable public static var correctedDuration: SegmentFlags { SegmentFlags(rawValue: 1) }
    /// The segment is not whole.
    ///
    /// It is kept, because part of it is better than a hole.
    @inlinable public static var damaged: SegmentFlags { SegmentFlags(rawValue: 2) }
    /// The segment was committed after its turn to be published had passed.
    @inlinable public static var late: SegmentFlags { SegmentFlags(rawValue: 4) }
    /// The source stated EXT-X-INDEPENDENT-SEGMENTS.
    @inlinable public static var independent: SegmentFlags { SegmentFlags(rawValue: 8) }
    /// The bytes are encrypted and the key is missing.
    @inlinable public static var keyPending: SegmentFlags { SegmentFlags(rawValue: 16) }
    /// The media are longer or shorter than the segment's time, and EXTINF says how long they are.
    ///
    /// It is decided once, so that every playlist says the same.
    @inlinable public static var measuredDuration: SegmentFlags { SegmentFlags(rawValue: 32) }
    /// Cue tags stand before the segment.
    @inlinable public static var hasCueTags: SegmentFlags { SegmentFlags(rawValue: 64) }
    /// Better bytes have come since the segment was published, and closed windows list them.
    @inlinable public static var repaired: SegmentFlags { SegmentFlags(rawValue: 128) }
    /// The media play for much less than expected, so that the segment may not be whole.
    @inlinable public static var short: SegmentFlags { SegmentFlags(rawValue: 256) }
    /// The segment fills a hole from another source, and its timestamps do not go on from those around it.
    @inlinable public static var spliced: SegmentFlags { SegmentFlags(rawValue: 512) }
    /// The catalogue has the places of key frames in its bytes.
    @inlinable public static var hasKeyFrames: SegmentFlags { SegmentFlags(rawValue: 1024) }
    /// There is a discontinuity before the segment.
    ///
    /// Its sequence number does not show it, because the segment was not published.
    @inlinable public static var discontinuity: SegmentFlags { SegmentFlags(rawValue: 2048) }
    /// Other bytes may be better.
    @inlinable public static var parts: SegmentFlags { [.damaged, .short] }
}
