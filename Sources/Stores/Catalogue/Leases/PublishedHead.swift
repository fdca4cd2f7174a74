import Postgres
package import Timeline

/// How far a channel's published log has come.
package struct PublishedHead: Sendable, Equatable {
    package var discontinuitySequence: Int32
    /// End of the last published segment of any rendition.
    package var end: Instant
    /// Everything before is published or given up in every rendition that holds the others.
    package var watermark: Instant
    /// What begins before is forgotten for good.
    package var expiredBefore: Instant
    /// EXT-X-TARGETDURATION of growing lists; zero before the first segment.
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
    /// Where a channel's published log stands.
    package func publishedHead(of channel: Int32) async throws(CatalogueError) -> PublishedHead {
        try await asking {
            let rows = try await pool.query(
                "SELECT \(verbatim: PublishedHead.columns) FROM line WHERE channel_id = \(channel)")
            guard let row = rows.first else {
                throw CatalogueError.unreadable("no line of channel \(channel)")
            }
            return try PublishedHead(from: row)
        }
    }
}
