import Playback

/// What an operator says of playback.
package struct ViewerConfiguration: Sendable {
    /// The longest window of one answer, in seconds.
    package var maxWindowSeconds: Int64
    /// How long answers go by what is in memory while the catalogue is away, in seconds: no longer than bytes outlive
    /// their fact, or playlists would name what another node has deleted.
    package var awaySeconds: Int64

    package init(maxWindowSeconds: Int64 = 86_400, awaySeconds: Int64 = 7200) {
        self.maxWindowSeconds = maxWindowSeconds
        self.awaySeconds = awaySeconds
    }

    /// What `maxWindowSeconds` may be at most.
    package static let longestWindowSeconds = Playback.Limits.windowSeconds
}
