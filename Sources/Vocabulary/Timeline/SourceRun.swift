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

    private enum CodingKeys: String, CodingKey {
        case id, source, began, clock
    }

    package init(from decoder: any Decoder) throws {
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try stored.read(.id), source: try stored.read(.source), began: try stored.read(.began),
            clock: try stored.read(.clock, default: "arrival"))
    }
}
