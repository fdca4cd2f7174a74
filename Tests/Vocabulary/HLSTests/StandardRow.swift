import HLS
import TestSupport
import Testing

/// A playlist of `Tests/Fixtures/standard`: the tags that it shows, and what the reader must understand.
struct StandardRow: Sendable, CustomTestStringConvertible {
    var file: String
    var tags: [PlaylistTag]
    /// Where the values of variables come from.
    var source = VariableSource()
    var check: @Sendable (Playlist) throws -> Void

    var testDescription: String { file }

    func read() throws -> ReadPlaylist {
        try Playlist.reading(try Fixtures.standard.text(file + ".m3u8"), source: source)
    }

    static func media(
        _ file: String, _ tags: PlaylistTag..., source: VariableSource = VariableSource(),
        check: @escaping @Sendable (MediaPlaylist) throws -> Void
    ) -> StandardRow {
        StandardRow(file: file, tags: tags, source: source) { try check($0.media) }
    }

    static func multivariant(
        _ file: String, _ tags: PlaylistTag...,
        check: @escaping @Sendable (MultivariantPlaylist) throws -> Void
    ) -> StandardRow {
        StandardRow(file: file, tags: tags) { try check($0.multivariant) }
    }
}
