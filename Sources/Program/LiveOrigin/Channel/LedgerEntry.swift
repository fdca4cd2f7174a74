/// One line of the ledger: a published segment, in terms that a test can compare with a recording.
struct LedgerEntry: Codable, Sendable, Equatable {
    var channel: String
    var rendition: String
    /// How often the numbering had been restarted before.
    var sourceRun: Int
    /// The media sequence number.
    var number: Int
    /// Relative to the root of the origin.
    var uri: String
    var duration: Double
    /// As written in the playlist; the true date when the channel has none.
    var programDateTime: String
    /// SHA-256 of the bytes as served.
    var sha256: String
    var clearSha256: String
    var bytes: Int
    var listedAt: Double
    var discontinuity: Bool
    var encrypted: Bool
    /// Whether it is listed with a GAP tag and not served.
    var gap: Bool
    /// False when a request for it is answered 404 although it is listed.
    var served: Bool

    enum CodingKeys: String, CodingKey {
        case channel, rendition, number, uri, duration, sha256, bytes, discontinuity, encrypted, gap,
            served
        case sourceRun = "source_run"
        case programDateTime = "program_date_time"
        case clearSha256 = "clear_sha256"
        case listedAt = "listed_at"
    }
}
