package import Timeline

/// What a viewer asks for, with every parameter read and nothing resolved.
package struct WindowRequest: Sendable, Hashable {
    package var span: Span
    /// Holes are written as EXT-X-GAP, for players that keep a wall-clock time line.
    package var writesGaps = false
    /// Stretches that lack a track are listed.
    package var takesAnyTracks = false
    /// Anything missing is an error (`PlaylistContents.checkWhole`).
    package var isStrict = false

    package init(_ span: Span) {
        self.span = span
    }

    package enum Span: Sendable, Hashable {
        /// A window of the archive; without an end up to the live edge.
        case closed(begin: Instant, end: Instant?)
        /// Start-over: a list that grows until its end is published.
        case event(begin: Instant, end: Instant?)
        /// Live from the recording: so long, microseconds, and so much later than live.
        case sliding(length: Int64?, delay: Int64)
    }
}
