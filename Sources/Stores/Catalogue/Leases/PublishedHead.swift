import Postgres
package import Timeline

/// The head of a channel's published log.
package struct PublishedHead: Sendable, Equatable {
    package var discontinuitySequence: Int32
    /// End of the last published segment of any rendition.
    package var end: Instant
    /// Up to here every rendition is published or given up as lost.
    package var watermark: Instant
    /// Everything that begins before this instant has expired.
    package var expiredBefore: Instant
    /// EXT-X-TARGETDURATION of growing playlists, seconds; zero before the first segment.
    package var targetSeconds: Int

    package init(
        discontinuitySequence: Int32, end: Instant, watermark: Instant, expiredBefore: Instant,
        targetSeconds: Int
    ) {
        self.discontinuitySequence = discontinuitySequence
        self.end = end
        self.watermark = watermark
        self.expiredBefore = expiredBefore
        self.targetSeconds = targetSeconds
    }

    static let columns = "epoch, end_us, watermark_us, forgotten_us, target_seconds"

    init(from row: Row) throws {
        discontinuitySequence = try row.decode("epoch")
        end = Instant(microseconds: try row.decode("end_us"))
        watermark = Instant(microseconds: try row.decode("watermark_us"))
        expiredBefore = Instant(microseconds: try row.decode("forgotten_us"))
        targetSeconds = try row.decode("target_seconds", as: Int.self)
    }
}

extension Catalogue {
    /// The published head of a channel.
    package func publishedHead(of channel: Int32) async throws(CatalogueError) -> PublishedHead {
        try await mappingErrors {
            let rows = try await pool.query(
                "SELECT \(verbatim: PublishedHead.columns) FROM line WHERE channel_id = \(channel)")
            guard let row = rows.first else {
                throw CatalogueError.unreadable("channel \(channel) has no published head")
            }
            return try PublishedHead(from: row)
        }
    }
}
