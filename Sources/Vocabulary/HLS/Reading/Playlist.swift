/// A playlist of either kind.
package enum Playlist: Sendable, Equatable {
    case media(MediaPlaylist)
    case multivariant(MultivariantPlaylist)
}

/// A playlist and what had to be forgiven to read it.
package struct ReadPlaylist: Sendable, Equatable {
    package var playlist: Playlist
    package var notes: [Note]

    package init(playlist: Playlist, notes: [Note] = []) {
        self.playlist = playlist
        self.notes = notes
    }
}

extension Playlist {
    /// Reads a playlist tolerantly (RFC 8216bis §4); time and memory grow with the bytes and no faster.
    ///
    /// Relative URIs stay relative: they are resolved against the URL after redirects, which is the caller's.
    package static func reading(
        _ bytes: [UInt8], limits: ReadingLimits = .standard, source: VariableSource = VariableSource(),
    ) throws(PlaylistError) -> ReadPlaylist {
        var reader = try PlaylistReader(bytes, limits: limits, source: source)
        return try reader.read()
    }

    /// Reads a playlist that is a string already.
    package static func reading(
        _ text: String, limits: ReadingLimits = .standard, source: VariableSource = VariableSource(),
    ) throws(PlaylistError) -> ReadPlaylist {
        try reading(Array(text.utf8), limits: limits, source: source)
    }
}
