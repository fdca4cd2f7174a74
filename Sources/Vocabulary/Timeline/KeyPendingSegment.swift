/// A segment whose bytes are durable as they came, encrypted, while a key to read them is not held: a line of the
/// journal, complete in itself.
package struct KeyPendingSegment: Sendable, Equatable, Codable {
    /// Where a key is to be had, and the initialization vector that goes with it.
    package struct Cipher: Sendable, Equatable, Codable {
        /// Absolute; it may carry a session's token, so it is not for logs.
        package var keyURL: String
        /// 16 bytes; none where the method takes none.
        package var iv: [UInt8]
        /// METHOD when only samples are encrypted; nil when the whole is, by AES-128.
        package var sampleMethod: String?

        package init(keyURL: String, iv: [UInt8], sampleMethod: String? = nil) {
            self.keyURL = keyURL
            self.iv = iv
            self.sampleMethod = sampleMethod
        }
    }

    /// The initialization section as the archive holds it.
    package struct Initialization: Sendable, Equatable, Codable {
        package var name: String
        /// Nil when it can be read.
        package var cipher: Cipher?

        package init(name: String, cipher: Cipher?) {
            self.name = name
            self.cipher = cipher
        }
    }

    package var channel: ChannelID
    package var identity: SegmentIdentity
    /// Decided once, when the segment was first listed.
    package var start: Instant
    /// Microseconds, more than zero.
    package var duration: Int64
    package var flags: SegmentFlags
    /// With `container` the name of the bytes; the container is a guess as long as they cannot be read.
    package var revision: Int16
    package var container: SegmentExtension
    /// Nil when only the initialization section is encrypted.
    package var cipher: Cipher?
    package var initialization: Initialization?
    /// EXT-X-KEY lines of DRM systems, verbatim.
    package var drmTags: [String]
    /// EXT-X-PROGRAM-DATE-TIME as the source said it.
    package var programDateTime: Instant?
    package var arrived: Instant
    /// The source's URL without user info and query, by which its headers are found again.
    package var source: String
    /// As in `SegmentFact`.
    package var boundary: String?

    package init(
        channel: ChannelID, identity: SegmentIdentity, start: Instant, duration: Int64,
        flags: SegmentFlags = [], revision: Int16 = 0, container: SegmentExtension, cipher: Cipher?,
        initialization: Initialization? = nil, drmTags: [String] = [], programDateTime: Instant? = nil,
        arrived: Instant, source: String, boundary: String? = nil,
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
    }

    package var end: Instant { start + duration }

    /// What the bytes are called in the archive.
    package var key: ArchiveKey {
        .segment(
            channel, identity.rendition,
            SegmentName(start: start, revision: revision, fileExtension: container))
    }

    /// Where the keys that are needed are to be had.
    package var keyURLs: [String] {
        [cipher?.keyURL, initialization?.cipher?.keyURL].compactMap { $0 }
    }
}
