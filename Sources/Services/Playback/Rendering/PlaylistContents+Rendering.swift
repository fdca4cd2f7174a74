import HLS
package import Timeline

/// Rendering the playlists of an answer.
extension PlaylistContents {
    /// The media playlist of a rendition; nil if it has no segments in the window.
    package func mediaPlaylist(of id: RenditionID) throws(PlaybackError) -> RenderedPlaylist? {
        guard let rendition = self[id] else { return nil }
        var text = MediaPlaylistRenderer(contents: self, rendition: rendition)
        return try RenderedPlaylist(text.written())
    }

    /// The multivariant playlist of all renditions with segments in the window.
    ///
    /// The query is added to every URI. It is given without `?`. I-frame playlists are named for the
    /// renditions with a bit rate of key frames.
    package func multivariantPlaylist(
        query: String?, keyFrameRates: [RenditionID: Int64] = [:],
    ) -> [UInt8] {
        MultivariantRenderer(contents: self, query: query, keyFrameRates: keyFrameRates).playlist()
            .writtenBytes()
    }

    /// The value of EXT-X-PLAYLIST-TYPE; nil for none.
    ///
    /// EVENT is not allowed if segments may be removed (RFC 8216bis §4.4.3.5, §6.2.2).
    var playlistType: MediaPlaylist.PlaylistType? {
        switch plan.kind {
        case .closed: .videoOnDemand
        case .event: plan.losesFirstSegments ? nil : .event
        case .sliding: nil
        }
    }
}
