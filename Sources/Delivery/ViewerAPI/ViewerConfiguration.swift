import Playback

/// The operator's settings for playback.
package struct ViewerConfiguration: Sendable {
    /// The longest window of one answer, in seconds.
    package var maxWindowSeconds: Int64
    /// How long answers come from memory while the catalogue is unavailable, in seconds.
    ///
    /// No longer than bytes outlive their entry: otherwise playlists would list segments that another node
    /// has deleted.
    package var awaySeconds: Int64

    package init(maxWindowSeconds: Int64 = 86_400, awaySeconds: Int64 = 7200) {
        self.maxWindowSeconds = maxWindowSeconds
        self.awaySeconds = awaySeconds
    }

    /// The largest value of `maxWindowSeconds`.
    package static let longestWindowSeconds = Playback.Limits.windowSeconds
}
