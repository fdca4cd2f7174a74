/// A segment that is stored encrypted, as received, because a key is missing; a journal line holds all of it.
package struct KeyPendingSegment: Sendable, Equatable, Codable {
    /// The URL of a key and the initialization vector that goes with it.
    package struct Cipher: Sendable, Equatable, Codable {
        /// An absolute URL; it may contain a session token and must not be logged.
        package var keyURL: String
        /// 16 bytes; nil if the method takes none.
        package var iv: [UInt8]
        /// METHOD if only samples are encrypted; nil if whole segments are encrypted with AES-128.
        package var sampleMethod: String?

        package init(keyURL: String, iv: [UInt8], sampleMethod: String? = nil) {
            self.keyURL = keyURL
            self.iv = iv
            self.sampleMethod = sampleMethod
        }

        private enum CodingKeys: String, CodingKey {
            case keyURL, iv, sampleMethod
        }

        package init(from decoder: any Decoder) throws {
            let stored = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                keyURL: try stored.read(.keyURL), iv: try stored.read(.iv, default: []),
                sampleMethod: try stored.readIfPresent(.sampleMethod))
        }
    }

    /// The stored initialization section.
    package struct Initialization: Sendable, Equatable, Codable {
        package var name: String
        /// Nil if it is clear.
        package var cipher: Cipher?

        package init(name: String, cipher: Cipher?) {
            self.name = name
            self.cipher = cipher
        }

        private enum CodingKeys: String, CodingKey {
            case name, cipher
        }
    }

    package var channel: ChannelID
    package var identity: SegmentIdentity
    /// Decided once, when the segment was first listed.
    package var start: Instant
    /// Microseconds, more than zero.
    package var duration: Int64
    package var flags: SegmentFlags
    /// Part of the file name, with `container`; the container is a guess until the bytes can be decrypted.
    package var revision: Int16
    package var container: SegmentExtension
    /// Nil if only the initialization section is encrypted.
    package var cipher: Cipher?
    package var initialization: Initialization?
    /// EXT-X-KEY lines of DRM systems, as received.
    package var drmTags: [String]
    /// EXT-X-PROGRAM-DATE-TIME of the source.
    package var programDateTime: Instant?
    package var arrived: Instant
    /// The source's URL without user info and query; it identifies the source whose headers are sent.
    package var source: String
    /// See `SegmentFact.boundary`.
    package var boundary: DiscontinuityCause?
    /// The lease under which it was recorded; nil if an earlier version has recorded it.
    package var fence: Int64?
    private var storedCueTags: [String]?

    package init(
        channel: ChannelID, identity: SegmentIdentity, start: Instant, duration: Int64,
        flags: SegmentFlags = [], revision: Int16 = 0, container: SegmentExtension, cipher: Cipher?,
        initialization: Initialization? = nil, drmTags: [String] = [], programDateTime: Instant? = nil,
        arrived: Instant, source: String, boundary: DiscontinuityCause? = nil, fence: Int64? = nil,
        cueTags: [String] = [],
    ) {
        self.channel = channel
        self.identity = identity
        self.start = start
        self.duration = duration
        self.flags = flags
        self.revision = revision
        self.container = container
        self.cipher = cipher
        self.initialization = initialization
        self.drmTags = drmTags
        self.programDateTime = programDateTime
        self.arrived = arrived
        self.source = source
        self.boundary = boundary
        self.fence = fence
        self.cueTags = cueTags
    }

    private enum CodingKeys: String, CodingKey {
        case channel, identity, start, duration, flags, revision, container, cipher, initialization, drmTags
        case programDateTime, arrived, source, boundary, fence
        case storedCueTags = "cue_tags"
    }

    package init(from decoder: any Decoder) throws {
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            channel: try stored.read(.channel), identity: try stored.read(.identity),
            start: try stored.read(.start), duration: try stored.read(.duration),
            flags: try stored.read(.flags, default: []), revision: try stored.read(.revision, default: 0),
            container: try stored.read(.container), cipher: try stored.readIfPresent(.cipher),
            initialization: try stored.readIfPresent(.initialization),
            drmTags: try stored.read(.drmTags, default: []),
            programDateTime: try stored.readIfPresent(.programDateTime), arrived: try stored.read(.arrived),
            source: try stored.read(.source), boundary: try stored.readIfPresent(.boundary),
            fence: try stored.readIfPresent(.fence), cueTags: try stored.read(.storedCueTags, default: []))
    }

    /// See `SegmentFact.cueTags`.
    package var cueTags: [String] {
        get { storedCueTags ?? [] }
        set { storedCueTags = newValue.isEmpty ? nil : newValue }
    }

    package var end: Instant { start + duration }

    /// The name of the bytes in the archive.
    package var key: ArchiveKey {
        .segment(
            channel, identity.rendition,
            SegmentName(start: start, revision: revision, fileExtension: container))
    }

    /// The URLs of the keys that are needed.
    package var keyURLs: [String] {
        [cipher?.keyURL, initialization?.cipher?.keyURL].compactMap { $0 }
    }
}
