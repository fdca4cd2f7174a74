/// A rendition and the attributes that identify it in the source's multivariant playlist.
package struct RenditionDescription: Sendable, Equatable, Codable {
    package var id: RenditionID
    /// STABLE-VARIANT-ID or STABLE-RENDITION-ID.
    package var stableID: String?
    /// Pixels as `WIDTHxHEIGHT`.
    package var resolution: String?
    package var codecs: String?
    package var frameRate: String?
    /// BANDWIDTH of the source, bits per second.
    package var bandwidth: Int64?
    package var groupID: String?
    package var name: String?
    package var language: String?
    package var channels: String?
    package var isDefault: Bool
    package var autoselect: Bool
    package var forced: Bool
    /// GROUP-ID of the audio that belongs to a variant.
    package var audioGroup: String?
    package var subtitlesGroup: String?
    /// Attributes of the source's tag that are written again as they were read: CLOSED-CAPTIONS and
    /// VIDEO-RANGE of a variant, CHARACTERISTICS and ASSOC-LANGUAGE of an alternative, and others.
    package var attributes: [PlaylistAttribute]?
    /// Further EXT-X-MEDIA tags, without their URI.
    ///
    /// Of an alternative, the tags that put it into other groups too. Of a variant, the tags of its groups
    /// whose media is part of the variant.
    package var media: [[PlaylistAttribute]]?
    /// EXT-X-STREAM-INF tags that list the variant again with other groups.
    package var repeats: [[PlaylistAttribute]]?
    /// Position among renditions of the same kind in the source's playlist.
    package var position: Int

    package init(id: RenditionID, position: Int = 0) {
        self.id = id
        self.position = position
        isDefault = false
        autoselect = false
        forced = false
    }

    private enum CodingKeys: String, CodingKey {
        case id, resolution, codecs, bandwidth, name, language, channels, autoselect, forced, position
        case attributes, media, repeats
        case stableID = "stable_id"
        case frameRate = "frame_rate"
        case groupID = "group_id"
        case isDefault = "default"
        case audioGroup = "audio_group"
        case subtitlesGroup = "subtitles_group"
    }

    package init(from decoder: any Decoder) throws {
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        self.init(id: try stored.read(.id), position: try stored.read(.position, default: 0))
        stableID = try stored.readIfPresent(.stableID)
        resolution = try stored.readIfPresent(.resolution)
        codecs = try stored.readIfPresent(.codecs)
        frameRate = try stored.readIfPresent(.frameRate)
        bandwidth = try stored.readIfPresent(.bandwidth)
        groupID = try stored.readIfPresent(.groupID)
        name = try stored.readIfPresent(.name)
        language = try stored.readIfPresent(.language)
        channels = try stored.readIfPresent(.channels)
        isDefault = try stored.read(.isDefault, default: false)
        autoselect = try stored.read(.autoselect, default: false)
        forced = try stored.read(.forced, default: false)
        audioGroup = try stored.readIfPresent(.audioGroup)
        subtitlesGroup = try stored.readIfPresent(.subtitlesGroup)
        attributes = try stored.readIfPresent(.attributes)
        media = try stored.readIfPresent(.media)
        repeats = try stored.readIfPresent(.repeats)
    }
}
