/// Everything a player must know before it can read a segment: container, tracks, initialization section,
/// key.
///
/// Segments of one state follow each other without a boundary; a change of state is one.
package struct SegmentFormat: Hashable, Sendable, Codable {
    package var container: SegmentExtension
    /// The tracks as `kind:codec` in stream order, for example `video:h264,audio:aac`.
    package var tracks: String
    /// RFC 6381 codecs, comma separated; empty when they are not known.
    package var codecs: String
    /// Picture size in pixels; zero when it is not known.
    package var width: Int
    package var height: Int
    /// File name of the initialization section (EXT-X-MAP); nil when the container has none.
    package var initName: String?
    /// METHOD of EXT-X-KEY; nil when segments are clear.
    package var keyMethod: String?
    /// Id of the recorded key; nil when there is none or its format is not `identity`.
    package var keyName: String?
    /// EXT-X-KEY lines of DRM systems, verbatim, as keys of theirs cannot be recorded.
    package var drmTags: [String]

    package init(container: SegmentExtension, tracks: String = "", codecs: String = "") {
        self.container = container
        self.tracks = tracks
        self.codecs = codecs
        width = 0
        height = 0
        drmTags = []
    }

    /// One text for equal states, whose digest is the state's identity in the catalogue.
    package var canonicalText: String {
        let parts: [String] = [
            container.rawValue, tracks, codecs, "\(width)x\(height)", initName ?? "", keyMethod ?? "",
            keyName ?? "",
        ]
        return (parts + drmTags).joined(separator: "\n")
    }

    package var hasVideo: Bool { tracks.contains("video:") }
    package var hasAudio: Bool { tracks.contains("audio:") }

    /// Whether a player can go on from a segment of the other state in one playlist, given a discontinuity: the
    /// container stays and no kind of track appears or disappears.
    package func continues(_ other: SegmentFormat) -> Bool {
        container == other.container && hasVideo == other.hasVideo && hasAudio == other.hasAudio
    }
}
