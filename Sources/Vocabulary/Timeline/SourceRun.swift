/// One unbroken numbering of one source.
package struct SourceRun: Sendable, Equatable, Codable {
    package var id: Int64
    /// The source's URL without user info and query.
    package var source: String
    package var began: Instant
    /// "source" or "arrival".
    package var clock: String

    package init(id: Int64, source: String, began: Instant, clock: String) {
        self.id = id
        self.source = source
        self.began = began
        self.clock = clock
    }
}
