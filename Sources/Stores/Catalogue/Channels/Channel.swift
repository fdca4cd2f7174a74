package import Timeline

/// A channel as the catalogue holds it.
package struct Channel: Sendable, Equatable {
    /// Its row, unchanged for ever.
    package var row: Int32
    package var settings: ChannelSettings
    /// Goes up by one with each change of the settings.
    package var version: Int64
    package var playlistForm: PlaylistForm?
    /// Windows that begin before it may have been answered as media playlists; nil if the shape never changed.
    package var mediaUntil: Instant?
    package var isDeleted: Bool

    package var id: ChannelID { settings.id }
}

/// What `index.m3u8` answers: fixed when the source is first seen, it only ever goes to multivariant, for new windows.
package enum PlaylistForm: String, Sendable {
    case media
    case multivariant
}
