import Postgres
package import Timeline

/// How much the archive holds of a channel.
package struct ArchiveUsage: Sendable, Equatable {
    package var channel: ChannelID
    package var bytes: Int64
    package var oldest: Instant
}

extension Catalogue {
    /// Returns what the archive holds of each channel, deleted ones too, at most `Limits.measuredChannels`.
    ///
    /// Computed from the summaries of quarters. A week of a rendition has 672 of them.
    package func archiveUsage() async throws(CatalogueError) -> [ArchiveUsage] {
        try await mappingErrors {
            try await pool.query(
                """
                SELECT c.slug, sum(b.bytes)::bigint AS bytes, min(b.begin_us) AS oldest_us
                FROM channel c JOIN rendition r USING (channel_id) JOIN block b USING (rendition_id)
                GROUP BY c.slug ORDER BY c.slug LIMIT \(Limits.measuredChannels)
                """
            ).compactMap { row in
                guard let id = ChannelID(try row.decode("slug", as: String.self)) else { return nil }
                return ArchiveUsage(
                    channel: id, bytes: try row.decode("bytes"),
                    oldest: Instant(microseconds: try row.decode("oldest_us")))
            }
        }
    }
}
