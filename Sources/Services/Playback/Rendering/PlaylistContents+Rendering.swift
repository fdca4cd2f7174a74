import HLS
package import Timeline

/// How an answer becomes text.
extension PlaylistContents {
    /// The media playlist of a rendition; nil when it has nothing in the window.
    package func mediaPlaylist(of id: RenditionID) throws(PlaybackError) -> RenderedPlaylist? {
        guard let rendition = self[id] else { return nil }
        var text = MediaPlaylistText(contents: self, rendition: rendition)
        return try RenderedPlaylist(text.written())
    }

    /// The multivariant playlist over the renditions that have something in the window; every URI carries the query,
    /// given without `?`.
    package func multivariantPlaylist(query: String?) -> [UInt8] {
        MultivariantText(contents: self, query: query).playlist().writtenBytes()
    }
}
