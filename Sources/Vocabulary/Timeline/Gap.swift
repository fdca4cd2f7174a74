/// A stretch that was meant to be recorded and is not held.
package struct Gap: Sendable, Equatable {
    package var window: TimeWindow
    package var reason: GapReason
    /// Nil when the whole channel lacks it.
    package var rendition: RenditionID?

    package init(window: TimeWindow, reason: GapReason, rendition: RenditionID? = nil) {
        self.window = window
        self.reason = reason
        self.rendition = rendition
    }
}

/// A contiguous stretch that is held.
package struct CoverageSpan: Sendable, Equatable {
    package var window: TimeWindow
    package var segments: Int
    package var bytes: Int64

    package init(window: TimeWindow, segments: Int, bytes: Int64) {
        self.window = window
        self.segments = segments
        self.bytes = bytes
    }
}

/// A cause of missing media that the recorder met, from which gaps take their reason.
package struct Loss: Sendable, Equatable, Codable {
    package var window: TimeWindow
    package var reason: GapReason
    package var rendition: RenditionID?
    /// What happened, in words.
    package var note: String

    package init(window: TimeWindow, reason: GapReason, rendition: RenditionID? = nil, note: String = "") {
        self.window = window
        self.reason = reason
        self.rendition = rendition
        self.note = note
    }
}
