/// A part of a channel that should have been recorded but is not held.
package struct Gap: Sendable, Equatable {
    package var window: TimeWindow
    package var reason: GapReason
    /// Nil if all renditions lack it.
    package var rendition: RenditionID?

    package init(window: TimeWindow, reason: GapReason, rendition: RenditionID? = nil) {
        self.window = window
        self.reason = reason
        self.rendition = rendition
    }
}

/// A contiguous part of a channel that is held.
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

/// A cause of missing media that the recorder reported; gaps take their reason from losses.
package struct Loss: Sendable, Equatable, Codable {
    package var window: TimeWindow
    package var reason: GapReason
    package var rendition: RenditionID?
    /// A description for operators.
    package var note: String

    package init(window: TimeWindow, reason: GapReason, rendition: RenditionID? = nil, note: String = "") {
        self.window = window
        self.reason = reason
        self.rendition = rendition
        self.note = note
    }

    private enum CodingKeys: String, CodingKey {
        case window, reason, rendition, note
    }

    package init(from decoder: any Decoder) throws {
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            window: try stored.read(.window), reason: try stored.read(.reason),
            rendition: try stored.readIfPresent(.rendition), note: try stored.read(.note, default: ""))
    }
}
