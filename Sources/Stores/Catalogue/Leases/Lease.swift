import Postgres
package import Timeline

/// The right to publish a channel: a stale holder's fence is refused by the database.
package struct Lease: Sendable, Equatable {
    package var fence: Int64
    package var publishedHead: PublishedHead
}

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
    /// Says that a node is alive for some seconds more, by the database's clock.
    package func heartbeat(node: String, seconds: Int, about: String) async throws(CatalogueError) {
        try await asking {
            _ = try await pool.query(
                """
                INSERT INTO node (node_id, expires_at, about)
                VALUES (\(node)::uuid, now() + make_interval(secs => \(Double(seconds))), \(about)::jsonb)
                ON CONFLICT (node_id) DO UPDATE SET expires_at = excluded.expires_at, about = excluded.about
                """)
        }
    }

    /// Takes a channel that is free, that was this node's own before, or, when it `takesOver`, whose owner's heartbeat has
    /// run out.
    ///
    /// - Returns: nil while another node holds it.
    package func takeLease(
        channel: Int32, node: String, takesOver: Bool = true,
    ) async throws(CatalogueError) -> Lease? {
        try await asking {
            let rows = try await pool.query(
                """
                UPDATE line SET node_id = \(node)::uuid, fence = fence + 1
                WHERE channel_id = \(channel) AND (
                    node_id IS NULL OR node_id = \(node)::uuid OR \(takesOver) AND NOT EXISTS (
                        SELECT FROM node WHERE node.node_id = line.node_id AND expires_at > now()))
                RETURNING fence, \(verbatim: PublishedHead.columns)
                """)
            return try rows.first.map {
                Lease(fence: try $0.decode("fence"), publishedHead: try PublishedHead(from: $0))
            }
        }
    }

    /// Gives a channel back, if it is still held under this fence.
    package func releaseLease(channel: Int32, fence: Int64) async throws(CatalogueError) {
        try await asking {
            _ = try await pool.query(
                "UPDATE line SET node_id = NULL WHERE channel_id = \(channel) AND fence = \(fence)")
        }
    }

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
