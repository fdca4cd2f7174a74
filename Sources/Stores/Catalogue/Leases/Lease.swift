import Postgres
package import Timeline

/// The right to publish a channel; the database refuses the fence of a former holder.
package struct Lease: Sendable, Equatable {
    package var fence: Int64
    /// The node that took it; nil if nothing is published under it.
    package var node: String?
    package var publishedHead: PublishedHead
    /// What the database's clock said when the lease was taken; nil if it was not asked.
    package var databaseDate: Instant?

    /// Where the channel was last reanchored; nil if it never was.
    package var reanchor: ReanchorPoint?

    package init(
        fence: Int64, node: String? = nil, publishedHead: PublishedHead, databaseDate: Instant? = nil,
        reanchor: ReanchorPoint? = nil,
    ) {
        self.fence = fence
        self.node = node
        self.publishedHead = publishedHead
        self.databaseDate = databaseDate
        self.reanchor = reanchor
    }
}

extension Catalogue {
    /// Records that a node is alive for some seconds, by the database's clock.
    package func heartbeat(node: String, seconds: Int) async throws(CatalogueError) {
        try await mappingErrors {
            _ = try await pool.query(
                """
                INSERT INTO node (node_id, expires_at)
                VALUES (\(node)::uuid, now() + make_interval(secs => \(Double(seconds))))
                ON CONFLICT (node_id) DO UPDATE SET expires_at = excluded.expires_at
                """)
        }
    }

    /// Takes the lease of a channel that is free or was held by this node before.
    ///
    /// With `takesOver` it is also taken from another node whose heartbeat has run out.
    ///
    /// - Returns: nil if another node holds the lease
    package func takeLease(
        channel: Int32, node: String, takesOver: Bool = true,
    ) async throws(CatalogueError) -> Lease? {
        try await mappingErrors {
            let rows = try await pool.query(
                """
                UPDATE line SET node_id = \(node)::uuid, fence = fence + 1
                WHERE channel_id = \(channel) AND (
                    node_id IS NULL OR node_id = \(node)::uuid OR \(takesOver) AND NOT EXISTS (
                        SELECT FROM node WHERE node.node_id = line.node_id AND expires_at > now()))
                RETURNING fence, \(verbatim: ReanchorPoint.columns), \(verbatim: PublishedHead.columns),
                    (extract(epoch FROM clock_timestamp()) * 1000000)::int8 AS now_us
                """)
            return try rows.first.map {
                Lease(
                    fence: try $0.decode("fence"), node: node, publishedHead: try PublishedHead(from: $0),
                    databaseDate: Instant(microseconds: try $0.decode("now_us")),
                    reanchor: try ReanchorPoint(from: $0))
            }
        }
    }

    /// Releases a lease if the fence is still valid, and the node's.
    package func releaseLease(channel: Int32, fence: Int64, node: String) async throws(CatalogueError) {
        try await mappingErrors {
            _ = try await pool.query(
                """
                UPDATE line SET node_id = NULL
                WHERE channel_id = \(channel) AND fence = \(fence) AND node_id = \(node)::uuid
                """)
        }
    }
}
