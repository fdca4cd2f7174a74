import HLS
import HTTP
import Timeline

/// One use of a source, from its first playlist until another takes its place: cookies and connections belong
/// to it.
struct SourceUse: Sendable, Equatable {
    /// Rises with each use of any source of the channel.
    var number: Int
    var source: SourceSettings
}

/// A playlist to fetch.
struct PlaylistRequest: Sendable, Equatable {
    enum Purpose: Sendable, Equatable {
        /// The source's first playlist, to begin recording from it.
        case opening
        case rendition(RenditionID)
        /// The multivariant playlist again, as tokens in its URLs may have expired.
        case renewal
        /// To see whether a preferred source delivers again.
        case scouting
    }

    var use: SourceUse
    var purpose: Purpose
    /// Nil asks for the source's configured URL.
    var url: HTTPURL?
    /// On a connection of its own, after a failure.
    var isFresh = false
    /// Variables of the multivariant playlist, to be imported (RFC 8216bis §4.4.2.3).
    var variables: [String: String] = [:]
    var begun: ContinuousClock.Instant
}

/// A playlist that was fetched and read.
struct FetchedPlaylist: Sendable {
    var playlist: Playlist
    /// The URL after redirects: the base of relative ones.
    var base: HTTPURL
    /// When the last byte had arrived.
    var arrival: Moment

    /// How long the answer took.
    var lead: Duration

    package init(playlist: Playlist, base: HTTPURL, arrival: Moment, lead: Duration = .zero) {
        self.playlist = playlist
        self.base = base
        self.arrival = arrival
        self.lead = lead
    }
}
