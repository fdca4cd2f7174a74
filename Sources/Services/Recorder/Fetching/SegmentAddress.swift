import HLS
import HTTP

/// Where a source has a segment's bytes, without what may differ each time that it is listed: the server that
/// the playlist came from, and tokens.
struct SegmentAddress: Hashable, Sendable {
    private var path: String
    private var query: String?

    /// Nil where a URI cannot be read.
    init?(_ entry: MediaSegment, base: HTTPURL, isByPath: Bool = true) {
        guard let url = try? base.resolving(entry.uri) else { return nil }
        (path, query) = (url.path, isByPath ? nil : url.query)
    }

    init?(_ request: SegmentRequest, isByPath: Bool = true) {
        self.init(request.segment.entry, base: request.base, isByPath: isByPath)
    }

    /// Whether paths alone tell the segments of a playlist apart; else queries do.
    ///
    /// A playlist of one segment does not show it.
    static func areByPath(_ playlist: MediaPlaylist) -> Bool {
        let uris = Set(playlist.segments.lazy.map(\.uri))
        let paths = Set(uris.lazy.map { $0.prefix { $0 != "?" && $0 != "#" } })
        return paths.count == uris.count && uris.count > 1
    }
}
