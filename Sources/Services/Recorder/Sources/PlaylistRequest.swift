import Concurrency
import Digest
package import HLS
package import HTTP
import HTTPClient
package import Timeline

/// One use of a source, from its first playlist until another takes its place: cookies and connections belong
/// to it.
package struct SourceUse: Sendable, Equatable {
    /// Rises with each use of any source of the channel.
    var number: Int
    @Boxed package var source: SourceSettings
}

/// A playlist to fetch.
package struct PlaylistRequest: Sendable, Equatable {
    enum Purpose: Sendable, Equatable {
        /// The source's first playlist, to begin recording from it.
        case opening
        case rendition(RenditionID)
        /// The multivariant playlist again, as tokens in its URLs may have expired.
        case renewal
        /// To see whether a preferred source delivers again.
        case failbackCheck
        /// To fill holes from another source; nil asks for its first playlist.
        case repair(RenditionID?)
    }

    package var use: SourceUse
    var purpose: Purpose
    /// Nil asks for the source's configured URL.
    @Boxed package var url: HTTPURL?
    /// On a connection of its own, after a failure.
    var isFresh = false
    var inherited = InheritedTags()
    /// The playlist as it was last taken: one that is still the same is not read again.
    @Boxed var known: PlaylistVersion?
    /// Lets the source answer that the known playlist has not changed, without sending it (RFC 9110 §13.1).
    var isConditional = false
    var startedAt: SteadyInstant
}

/// What a multivariant playlist says for its media playlists.
struct InheritedTags: Sendable, Equatable {
    /// The variables that they may import (RFC 8216bis §4.4.2.3).
    var variables: [String: String] = [:]
    /// EXT-X-INDEPENDENT-SEGMENTS, which applies to all their segments (RFC 8216bis §4.4.2.1).
    var isIndependentSegments = false
}

extension InheritedTags {
    init(of playlist: MultivariantPlaylist) {
        variables = playlist.variables
        isIndependentSegments = playlist.isIndependentSegments
    }

    /// The playlist with them.
    func applied(to playlist: Playlist) -> Playlist {
        guard isIndependentSegments, case .media(var media) = playlist else { return playlist }
        media.isIndependentSegments = true
        return .media(media)
    }
}

extension PlaylistRequest {
    /// Whether the playlist with that digest was the one last taken of the URL that is asked.
    package func knows(_ digest: [UInt8], of url: HTTPURL) -> Bool {
        known.map { $0.url == url && $0.digest == digest } ?? false
    }
}

/// What tells whether a playlist has changed: its digest, and the validators of the answer that brought it.
struct PlaylistVersion: Sendable, Equatable {
    /// SHA-256 of the decoded body.
    var digest: [UInt8]
    /// The URL that was asked.
    var url: HTTPURL
    /// `ETag` as received.
    var entityTag: String?
    /// `Last-Modified` as received; nil if it cannot distinguish two changes.
    var lastModified: String?

    /// The conditions of a request for it (RFC 9110 §13.1.2, §13.1.3).
    var conditions: HTTPHeaders {
        var headers = HTTPHeaders()
        if let entityTag {
            headers.append("If-None-Match", entityTag)
        } else if let lastModified {
            headers.append("If-Modified-Since", lastModified)
        }
        return headers
    }
}

extension PlaylistVersion {
    init(_ body: FetchedBody, of url: HTTPURL) throws(DigestError) {
        let headers = body.head.headers
        self.init(
            digest: try SHA256.digest(of: body.bytes), url: url,
            entityTag: headers["ETag"].flatMap { EntityTag(reading: $0)?.fieldValue }.flatMap(Self.bounded),
            lastModified: headers["Last-Modified"].flatMap(Self.bounded))
        // A date counts whole seconds: a playlist that was sent in the second of its change may change again
        // in the same second (RFC 9110 §8.8.2.2).
        if headers["Date"] ?? lastModified == lastModified { lastModified = nil }
    }

    /// The validator if it is printable ASCII of at most `Limits.validatorBytes`; else nil.
    private static func bounded(_ text: String) -> String? {
        text.utf8.count <= Limits.validatorBytes && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            ? text : nil
    }
}

/// What a request for a playlist led to.
enum PlaylistAnswer: Sendable {
    case playlist(FetchedPlaylist)
    /// It is the one that is known.
    case unchanged(at: Moment)
}

/// A playlist that was fetched and read.
package struct FetchedPlaylist: Sendable {
    var playlist: Playlist
    /// The URL after redirects: the base of relative ones.
    @Boxed var base: HTTPURL
    /// Where the URL that was asked led to; nil where it led nowhere else.
    @Boxed var redirectTarget: HTTPURL?
    /// When the last byte had arrived.
    var arrival: Moment
    /// How long the answer took; the time in our own queue is no part of it.
    var responseTime: Duration
    /// Nil when it cannot be told from others.
    @Boxed var version: PlaylistVersion?
    /// Where it deviates from the standard.
    var notes: [DeviationNote] = []

    /// `digest` is SHA-256 of the playlist at `url`; nil where it cannot be told from others.
    package init(
        playlist: Playlist, base: HTTPURL, arrival: Moment, responseTime: Duration = .zero,
        digest: [UInt8]? = nil, of url: HTTPURL? = nil,
    ) {
        let version = digest.map { PlaylistVersion(digest: $0, url: url ?? base) }
        self.init(
            playlist: playlist, base: base, arrival: arrival, responseTime: responseTime, version: version)
    }

    init(
        playlist: Playlist, base: HTTPURL, arrival: Moment, responseTime: Duration = .zero,
        version: PlaylistVersion?, notes: [DeviationNote] = [],
    ) {
        self.notes = notes
        self.playlist = playlist
        self.base = base
        self.arrival = arrival
        self.responseTime = responseTime
        self.version = version
    }
}
