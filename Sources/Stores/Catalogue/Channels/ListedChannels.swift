import Postgres
package import Timeline

/// A channel as lists for viewers name it.
package struct ListedChannel: Sendable, Equatable {
    package var channel: Channel
    /// The begin of the first segment in the archive; nil if it holds none.
    package var oldest: Instant?

    package init(channel: Channel, oldest: Instant?) {
        self.channel = channel
        self.oldest = oldest
    }
}

extension Catalogue {
    /// Returns the channels that are not deleted, ordered by id, at most `Limits.listedChannels`.
    ///
    /// A channel that this program cannot read is left out; `everyChannel` reports it.
    package func listedChannels() async throws(CatalogueError) -> [ListedChannel] {
        try await mappingErrors {
            try await pool.query(
                """
                SELECT \(verbatim: StoredChannel.columns), (
                    SELECT min(first.begin_us) FROM rendition r CROSS JOIN LATERAL (
                        SELECT b.begin_us FROM block b WHERE b.rendition_id = r.rendition_id
                        ORDER BY b.quarter_us LIMIT 1) AS first
                    WHERE r.channel_id = channel.channel_id) AS oldest_us
                FROM channel WHERE deleted_at IS NULL ORDER BY slug LIMIT \(Limits.listedChannels)
                """
            ).compactMap { row in
                guard let channel = try? Self.channel(from: row) else { return nil }
                let oldest = try row.decode("oldest_us", as: Int64?.self)
                return ListedChannel(channel: channel, oldest: oldest.map(Instant.init(microseconds:)))
            }
        }
    }
}
