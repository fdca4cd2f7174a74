/// One line of the ledger: what was published, in words that a test can hold against what was recorded.
struct LedgerEntry: Codable, Sendable, Equatable {
    var channel: String
    var rendition: String
    /// Counts the restarts of the channel's numbering.
    var feed: Int
    /// The media sequence number.
    var number: Int
    /// From the root of the origin.
    var uri: String
    var duration: Double
    /// As the playlist writes it; the true date when the channel has none.
    var programDateTime: String
    /// Of the bytes as served.
    var sha256: String
    var clearSha256: String
    var bytes: Int
    var listedAt: Double
    var discontinuity: Bool
    var encrypted: Bool
    /// Listed with a GAP tag and not served.
    var gap: Bool
    /// False when a request for it is answered 404 although it is listed.
    var served: Bool

    enum CodingKeys: String, CodingKey {
        case channel, rendition, feed, number, uri, duration, sha256, bytes, discontinuity, encrypted, gap,
            served
        case programDateTime = "program_date_time"
        case clearSha256 = "clear_sha256"
        case listedAt = "listed_at"
    }
}
