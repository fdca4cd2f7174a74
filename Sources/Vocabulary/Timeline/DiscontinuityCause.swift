/// Why a discontinuity lies before a segment; the journal and the catalogue store the raw value.
///
/// A value that only another version knows is kept as it is.
package struct DiscontinuityCause: RawRepresentable, Equatable, Sendable, Codable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Nothing of the channel is published before.
    package static let start = Self(rawValue: "begin")
    /// The source's playlist has EXT-X-DISCONTINUITY there.
    package static let listed = Self(rawValue: "discontinuity")
    /// The segment comes from another source than the one before.
    package static let source = Self(rawValue: "source")
    /// The source has started its numbering again.
    package static let restart = Self(rawValue: "restart")
    /// Media is missing before the segment.
    package static let hole = Self(rawValue: "hole")
    /// The format of the media changes.
    package static let format = Self(rawValue: "media")
    /// The timestamps of the media jump.
    package static let timestamps = Self(rawValue: "timestamps")
    /// The segment is longer than the target duration.
    package static let targetDuration = Self(rawValue: "target duration")
}
