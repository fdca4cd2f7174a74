package import HLS

extension Playlist {
    /// The media playlist that this must be.
    package var media: MediaPlaylist {
        get throws {
            guard case .media(let media) = self else { throw TestFailure("a multivariant playlist") }
            return media
        }
    }

    /// The multivariant playlist that this must be.
    package var multivariant: MultivariantPlaylist {
        get throws {
            guard case .multivariant(let multivariant) = self else { throw TestFailure("a media playlist") }
            return multivariant
        }
    }
}

/// Reads a text that must be a media playlist.
package func readMedia(_ text: String, source: VariableSource = VariableSource()) throws -> MediaPlaylist {
    try Playlist.reading(text, source: source).playlist.media
}

/// Reads a text that must be a multivariant playlist.
package func readMultivariant(
    _ text: String, source: VariableSource = VariableSource(),
) throws -> MultivariantPlaylist {
    try Playlist.reading(text, source: source).playlist.multivariant
}
