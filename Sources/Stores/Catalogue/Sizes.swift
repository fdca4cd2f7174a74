import Postgres
package import Timeline

/// The oldest quarter of an hour that may be forgotten.
package struct OldestQuarter: Sendable {
    package var channel: Channel
    package var end: Instant
}

extension Catalogue {
    /// The instant before which a channel holds more than a number of bytes; nil when it holds less.
    package func cut(of channel: Int32, keepingBytes limit: Int64) async throws(CatalogueError) -> Instant? {
        try await asking {
            let rows = try await pool.query(
                """
                WITH quarter AS (
                    SELECT quarter_us, sum(bytes) AS bytes FROM block JOIN rendition USING (rendition_id)
                    WHERE channel_id = \(channel) GROUP BY quarter_us),
                held AS (SELECT quarter_us, sum(bytes) OVER (ORDER BY quarter_us DESC) AS bytes FROM quarter)
                SELECT max(quarter_us) AS quarter_us FROM held WHERE bytes > \(limit)
                """)
            let quarter = try rows.first?.decode("quarter_us", as: Int64?.self)
            return quarter.map { Instant(microseconds: $0 + Quarter.microseconds) }
        }
    }

    /// The oldest quarter of all channels that holds segments outside of kept recordings.
    package func oldestQuarter() async throws(CatalogueError) -> OldestQuarter? {
        let found = try await asking {
            try await pool.query(
                """
                SELECT c.slug, b.quarter_us FROM block b JOIN rendition r USING (rendition_id)
                JOIN channel c ON c.channel_id = r.channel_id JOIN line l ON l.channel_id = c.channel_id
                WHERE b.quarter_us + \(Quarter.microseconds) > l.forgotten_us
                ORDER BY b.quarter_us LIMIT 1
                """
            ).first.map { (try $0.decode("slug", as: String.self), try $0.decode("quarter_us", as: Int64.self)) }
        }
        guard let found, let id = ChannelID(found.0), let channel = try await channel(id) else { return nil }
        return OldestQuarter(channel: channel, end: Instant(microseconds: found.1 + Quarter.microseconds))
    }

    /// Forgets states that nothing points to any more, and names the initialization sections and keys that went with
    /// the last of them.
    ///
    /// - Parameter unusedSince: microseconds that a state's last segment must have been forgotten
    package func forgetStates(
        of channel: Channel, unusedSince grace: Int64,
    ) async throws(CatalogueError) -> [ArchiveKey] {
        try await asking {
            let gone = try await pool.query(
                """
                DELETE FROM state s USING line l
                WHERE s.channel_id = \(channel.row) AND l.channel_id = s.channel_id
                    AND s.last_used_us < l.forgotten_us - \(grace)
                    AND NOT EXISTS (SELECT FROM segment_kept k WHERE k.state_id = s.state_id)
                RETURNING s.init_name, s.key_name
                """)
            guard !gone.isEmpty else { return [] }
            return try await orphans(
                inits: Set(gone.compactMap { try $0.decode("init_name", as: String?.self) }),
                keys: Set(gone.compactMap { try $0.decode("key_name", as: String?.self) }), of: channel)
        }
    }

    private func orphans(inits: Set<String>, keys: Set<String>, of channel: Channel) async throws -> [ArchiveKey] {
        let left = try await pool.query(
            "SELECT init_name, key_name FROM state WHERE channel_id = \(channel.row)")
        let usedInits = Set(try left.compactMap { try $0.decode("init_name", as: String?.self) })
        let usedKeys = Set(try left.compactMap { try $0.decode("key_name", as: String?.self) })
        let renditions = try await describedRenditions(of: channel.row).map(\.1.id)
        let sections = inits.subtracting(usedInits).flatMap { name in
            renditions.map { ArchiveKey.initialization(channel.id, $0, name) }
        }
        return sections + keys.subtracting(usedKeys).map { .key(channel.id, $0) }
    }
}
