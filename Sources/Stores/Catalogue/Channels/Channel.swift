package import Timeline

/// A channel as the catalogue stores it.
package struct Channel: Sendable, Equatable {
    /// The row id; it never changes.
    package var row: Int32
    package var settings: ChannelSettings
    /// Increases by one with each change of the settings.
    package var version: Int64
    package var playlistForm: PlaylistForm?
    /// A window that begins before this instant may already have been answered as a media playlist.
    ///
    /// Nil if the playlist form never changed.
    package var mediaUntil: Instant?
    package var isDeleted: Bool

    package init(
        row: Int32, settings: ChannelSettings, version: Int64, playlistForm: PlaylistForm? = nil,
        mediaUntil: Instant? = nil, isDeleted: Bool = false,
    ) {
        self.row = row
        self.settings = settings
        self.version = version
        self.playlistForm = playlistForm
        self.mediaUntil = mediaUntil
        self.isDeleted = isDeleted
    }

    package var id: ChannelID { settings.id }
}

/// The kind of playlist that `index.m3u8` returns.
///
/// It is set when the source is first read. It can change once, from media to multivariant, and only for
/// windows that begin later.
package enum PlaylistForm: String, Sendable {
    case media
    case multivariant
}
