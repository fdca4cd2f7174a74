/// A marker as the catalogue has it: everything that its source has said of it, and when it became known.
package struct RecordedMarker: Sendable, Equatable {
    /// What became known at once.
    package struct Version: Sendable, Equatable, Codable {
        /// The end of the published log at that time.
        ///
        /// A growing playlist states the version in front of the first segment that begins at or after it,
        /// and so never changes what it has stated.
        package var shown: Instant
        /// The marker counts as lasting until then.
        package var until: Instant
        package var attributes: [PlaylistAttribute]

        package init(shown: Instant, until: Instant, attributes: [PlaylistAttribute]) {
            self.shown = shown
            self.until = until
            self.attributes = attributes
        }

        private enum CodingKeys: String, CodingKey {
            case shown, until, attributes
        }

        package init(from decoder: any Decoder) throws {
            let stored = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                shown: try stored.read(.shown), until: try stored.read(.until),
                attributes: try stored.read(.attributes, default: []))
        }
    }

    /// The source's ID; one that the source has used before for another marker of the channel has a number
    /// behind it.
    package var id: String
    package var begin: Instant
    /// Nil if it is unknown.
    package var end: Instant?
    package var classID: String?
    /// In the order in which they became known; never empty.
    package var versions: [Version]

    package init(id: String, begin: Instant, end: Instant?, classID: String?, versions: [Version]) {
        self.id = id
        self.begin = begin
        self.end = end
        self.classID = classID
        self.versions = versions
    }

    package var attributes: [PlaylistAttribute] { versions.flatMap(\.attributes) }

    /// Whether it lies in a window; a marker of unknown length lies where it begins.
    package func overlaps(_ window: TimeWindow) -> Bool {
        begin < window.end && (begin >= window.begin || until > window.begin)
    }

    /// It counts as lasting until then.
    package var until: Instant { versions.last?.until ?? begin }
}
