package import Timeline

/// What a viewer requests, with all parameters parsed and nothing resolved.
package struct WindowRequest: Sendable, Hashable {
    package var span: Span
    /// Writes holes as EXT-X-GAP, for players that keep a wall-clock timeline.
    package var writesGaps = false
    /// Lists stretches that lack a track.
    package var allowsMissingTracks = false
    /// Lists audio as far as the segments of the video extend, also beyond the window: for a file of both.
    package var coversVideo = false
    /// Fails if anything is missing (`PlaybackService.checkWhole`).
    package var isStrict = false
    /// The client whose share of the reading turns it uses; nil for requests of the program itself.
    package var client: String?

    package init(_ span: Span) {
        self.span = span
    }

    /// Whether the playlist grows: an EVENT or a sliding one.
    var isGrowing: Bool {
        if case .closed = span { false } else { true }
    }

    package enum Span: Sendable, Hashable {
        /// A window of the archive; without an end it extends to the live edge.
        case closed(begin: Instant, end: Instant?)
        /// Start-over: a playlist that grows until its end is published.
        case event(begin: Instant, end: Instant?)
        /// Live from the recording, with a length and a delay in microseconds.
        case sliding(length: Int64?, delay: Int64)
        /// Live from the recording, so that players start this many microseconds ago: the third-last segment
        /// begins then.
        case timeshift(delay: Int64)

        /// The end that a closed window names.
        var closedEnd: Instant? {
            if case .closed(_, let end) = self { end } else { nil }
        }
    }
}
