import HLS
import Testing

/// Reads a text that must be a media playlist.
func readMedia(_ text: String, source: VariableSource = VariableSource()) throws -> MediaPlaylist {
    let playlist = try Playlist.reading(text, source: source).playlist
    guard case .media(let media) = playlist else { throw WrongKind() }
    return media
}

/// Reads a text that must be a multivariant playlist.
func readMultivariant(_ text: String, source: VariableSource = VariableSource()) throws
    -> MultivariantPlaylist
{
    let playlist = try Playlist.reading(text, source: source).playlist
    guard case .multivariant(let multivariant) = playlist else { throw WrongKind() }
    return multivariant
}

/// A playlist of another kind than the test expects.
struct WrongKind: Error {}
