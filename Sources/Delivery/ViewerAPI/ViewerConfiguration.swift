package import Access
import Playback

/// The operator's settings for playback.
package struct ViewerConfiguration: Sendable {
    /// The longest window of one answer, in seconds.
    package var maxWindowSeconds: Int64
    /// How long answers come from memory while the catalogue is unavailable, in seconds.
    ///
    /// No longer than bytes outlive their entry: otherwise playlists would list segments that another node
    /// has deleted.
    package var maxStaleSeconds: Int64

    /// Whether other nodes answer the same viewers: growing playlists then ask the catalogue whether they are
    /// current.
    package var isShared: Bool

    /// Whether closed windows are redirected to their canonical URL.
    package var isCanonical: Bool

    /// What absolute URLs in lists begin with; nil: the server that a request names.
    package var publicBase: PublicBase?

    /// Verifies playback tokens; nil: playback is open.
    package var tokenSigner: TokenSigner?

    /// Answers that may compute for more than a millisecond at a time.
    package var longAnswers: Int

    /// How many ffmpeg processes may pack downloads at a time; as many others may make pictures.
    package var remuxProcesses: Int

    /// The program that packs downloads, looked for in the folders of PATH.
    package var ffmpeg = "ffmpeg"

    /// Where windows are read from the catalogue; nil: the runtime's threads.
    package var background: (any TaskExecutor)?

    package init(
        maxWindowSeconds: Int64 = 86_400, maxStaleSeconds: Int64 = 7200, isShared: Bool = false,
        isCanonical: Bool = false, publicBase: PublicBase? = nil, tokenSigner: TokenSigner? = nil,
        longAnswers: Int = 1,
        remuxProcesses: Int = 2,
        background: (any TaskExecutor)? = nil,
    ) {
        self.maxWindowSeconds = maxWindowSeconds
        self.maxStaleSeconds = maxStaleSeconds
        self.isShared = isShared
        self.isCanonical = isCanonical
        self.publicBase = publicBase
        self.tokenSigner = tokenSigner
        self.longAnswers = longAnswers
        self.remuxProcesses = remuxProcesses
        self.background = background
    }

    /// The largest value of `maxWindowSeconds`.
    package static let longestWindowSeconds = Playback.Limits.windowSeconds
}
