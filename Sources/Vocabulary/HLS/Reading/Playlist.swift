/// A playlist of either kind.
package enum Playlist: Sendable, Equatable {
    case media(MediaPlaylist)
    case multivariant(MultivariantPlaylist)
}

/// A playlist and the deviations that were tolerated.
package struct ReadPlaylist: Sendable, Equatable {
    package var playlist: Playlist
    package var notes: [DeviationNote]

    package init(playlist: Playlist, notes: [DeviationNote] = []) {
        self.playlist = playlist
        self.notes = notes
    }
}

extension Playlist {
    /// Reads a playlist tolerantly (RFC 8216bis §4), in time and memory proportional to its length.
    ///
    /// Relative URIs stay relative: the caller resolves them against the URL after redirects.
    package static func reading(
        _ bytes: [UInt8], limits: ReadingLimits = .standard, source: VariableSource = VariableSource(),
    ) throws(PlaylistError) -> ReadPlaylist {
        var reader = try PlaylistReader(bytes, limits: limits, source: source)
        return try reader.read()
    }

    /// Reads a playlist from a string.
    package static func reading(
        _ text: String, limits: ReadingLimits = .standard, source: VariableSource = VariableSource(),
    ) throws(PlaylistError) -> ReadPlaylist {
        try reading(Array(text.utf8), limits: limits, source: source)
    }
}
