import Foundation
import Postgres
package import Timeline

extension Catalogue {
    /// Creates a channel.
    ///
    /// A deleted channel with the same id is restored with these settings and keeps its recordings.
    package func create(_ settings: ChannelSettings) async throws(CatalogueError) -> Channel {
        let text = try Self.text(of: settings)
        return try await mappingErrors {
            try await pool.transaction { transaction in
                let rows = try await transaction.query(
                    """
                    INSERT INTO channel (slug, settings) VALUES (\(settings.id.text), \(text)::jsonb)
                    ON CONFLICT (slug) DO UPDATE
                        SET settings = excluded.settings, version = channel.version + 1, deleted_at = NULL
                        WHERE channel.deleted_at IS NOT NULL
                    RETURNING \(verbatim: StoredChannel.columns)
                    """)
                guard let row = rows.first else { throw CatalogueError.channelExists(settings.id) }
                let channel = try Self.channel(from: row)
                _ = try await transaction.query(
                    "INSERT INTO line (channel_id) VALUES (\(channel.row)) ON CONFLICT DO NOTHING")
                _ = try await transaction.query(
                    "SELECT pg_notify(\(Announcement.channel), \(settings.id.text))")
                return channel
            }
        }
    }

    /// Replaces the settings of an existing channel.
    ///
    /// The version is the one that the caller has read. Nil replaces any version. The version does not change
    /// if the settings are equal.
    /// Fields that only a later version knows stay in the row: while nodes are upgraded one by one, an older
    /// node must not remove them. Settings that cannot be read are replaced too.
    package func replace(
        _ settings: ChannelSettings, version: Int64? = nil,
    ) async throws(CatalogueError) -> Channel {
        try await mappingErrors {
            try await pool.transaction { transaction in
                let row = try await Self.locked(settings.id, version: version, in: transaction)
                if let known = try? Self.channel(from: row), known.settings.isIdentical(to: settings) {
                    return known
                }
                let channel = try await Self.write(settings, in: transaction)
                _ = try await transaction.query(
                    "SELECT pg_notify(\(Announcement.channel), \(settings.id.text))")
                return channel
            }
        }
    }

    /// Writes settings over those of a row; fields that only a later version knows stay.
    private static func write(
        _ settings: ChannelSettings, in transaction: PostgresTransaction
    ) async throws -> Channel {
        let rows = try await transaction.query(
            """
            UPDATE channel SET version = version + 1, settings = \(try text(of: settings))::jsonb
                || CASE jsonb_typeof(settings)
                    WHEN 'object' THEN settings - \(knownKeys) ELSE '{}' END
            WHERE slug = \(settings.id.text) RETURNING \(verbatim: StoredChannel.columns)
            """)
        guard let row = rows.first else { throw CatalogueError.noSuchChannel(settings.id) }
        return try channel(from: row)
    }

    /// Stops recording a channel and hides it from listings.
    ///
    /// Its row stays, so that its recordings play until they expire.
    package func delete(_ id: ChannelID, version: Int64? = nil) async throws(CatalogueError) {
        try await mappingErrors {
            try await pool.transaction { transaction in
                _ = try await Self.locked(id, version: version, in: transaction)
                _ = try await transaction.query(
                    "UPDATE channel SET deleted_at = now(), version = version + 1 WHERE slug = \(id.text)")
                _ = try await transaction.query("SELECT pg_notify(\(Announcement.channel), \(id.text))")
            }
        }
    }

    /// Marks a channel as deleted, with settings that keep nothing, also if its own cannot be read.
    ///
    /// If the channel was deleted before, the caller cannot know its version, so the version is not checked.
    static func markDeleted(
        _ id: ChannelID, version: Int64?, in transaction: PostgresTransaction,
    ) async throws -> Channel {
        let found = try await transaction.query(
            """
            SELECT \(verbatim: StoredChannel.columns) FROM channel WHERE slug = \(id.text)
            \(verbatim: Self.rowLock)
            """)
        guard let known = try found.first.map({ try StoredChannel(from: $0) }) else {
            throw CatalogueError.noSuchChannel(id)
        }
        if let version, !known.isDeleted, version != known.version {
            throw CatalogueError.staleVersion(current: known.version)
        }
        if case .failure = known.channel {
            let settings = ChannelSettings(id: id, title: id.text, sources: [], retentionSeconds: 0)
            _ = try await write(settings, in: transaction)
        }
        let deleted = try await transaction.query(
            """
            UPDATE channel SET settings = settings || '{"recording": false, "retention_seconds": 0}',
                version = version + 1,
                deleted_at = coalesce(deleted_at, now())
            WHERE channel_id = \(known.row) RETURNING \(verbatim: StoredChannel.columns)
            """)
        guard let row = deleted.first else { throw CatalogueError.noSuchChannel(id) }
        return try channel(from: row)
    }

    /// The channel with an id, even if it is deleted; nil if it never existed.
    package func channel(_ id: ChannelID) async throws(CatalogueError) -> Channel? {
        try await storedChannel(id)?.channel.get()
    }

    /// The row of the channel with an id, even if it is deleted or cannot be read; nil if it never existed.
    package func storedChannel(_ id: ChannelID) async throws(CatalogueError) -> StoredChannel? {
        try await mappingErrors {
            try await pool.query(
                "SELECT \(verbatim: StoredChannel.columns) FROM channel WHERE slug = \(id.text)"
            ).first.map { try StoredChannel(from: $0) }
        }
    }

    /// The ids of all channels in rows after the given one, also of deleted ones.
    package func channelIDs(after row: Int32) async throws(CatalogueError) -> [(id: ChannelID, row: Int32)] {
        try await mappingErrors {
            try await pool.query("SELECT slug, channel_id FROM channel WHERE channel_id > \(row)").compactMap
            {
                row in
                let number = try row.decode("channel_id", as: Int32.self)
                return ChannelID(try row.decode("slug", as: String.self)).map { ($0, number) }
            }
        }
    }

    /// Those of the given channels that are no longer as the caller knows them.
    package func changedChannels(_ known: [Channel]) async throws(CatalogueError) -> Set<Int32> {
        guard !known.isEmpty else { return [] }
        return try await mappingErrors {
            let forms = known.map { $0.playlistForm?.rawValue ?? "" }
            let rows = try await pool.query(
                """
                SELECT channel_id FROM channel
                JOIN unnest(\(known.map(\.row)), \(known.map(\.version)), \(forms))
                    AS known(channel_id, version, shape) USING (channel_id)
                WHERE channel.version <> known.version OR coalesce(channel.shape, '') <> known.shape
                """)
            return Set(try rows.map { try $0.decode("channel_id", as: Int32.self) })
        }
    }

    /// Returns channels that are not deleted, ordered by id, starting after the given id.
    ///
    /// A channel that this program cannot read is left out; `everyChannel` reports it.
    package func channels(after id: String = "", limit: Int) async throws(CatalogueError) -> [Channel] {
        try await mappingErrors {
            var channels: [Channel] = []
            var last = id
            while channels.count < limit {
                let wanted = limit - channels.count
                let rows = try await pool.query(
                    """
                    SELECT \(verbatim: StoredChannel.columns) FROM channel
                    WHERE deleted_at IS NULL AND slug > \(last) ORDER BY slug LIMIT \(wanted)
                    """)
                channels += rows.compactMap { try? Self.channel(from: $0) }
                guard rows.count == wanted, wanted > 0 else { break }
                last = try rows[wanted - 1].decode("slug")
            }
            return channels
        }
    }

    /// Sets what `index.m3u8` returns; a change from multivariant back to media is ignored.
    ///
    /// A change from media to multivariant also stores the current watermark as `mediaUntil`.
    package func setPlaylistForm(_ form: PlaylistForm, of channel: Int32) async throws(CatalogueError) {
        try await mappingErrors {
            _ = try await pool.query(
                """
                WITH changed AS (
                    UPDATE channel SET shape = \(form.rawValue), media_until_us =
                        (SELECT watermark_us FROM line WHERE channel_id = \(channel) AND shape = 'media')
                    WHERE channel_id = \(channel) AND shape IS DISTINCT FROM 'multivariant'
                        AND shape IS DISTINCT FROM \(form.rawValue)
                    RETURNING slug)
                SELECT pg_notify(\(Announcement.channel), slug) FROM changed
                """)
        }
    }

    /// Locks the row of a channel and returns it; throws if the channel does not exist or has another
    /// version.
    private static func locked(
        _ id: ChannelID, version: Int64?, in transaction: PostgresTransaction,
    ) async throws -> Row {
        let rows = try await transaction.query(
            """
            SELECT \(verbatim: StoredChannel.columns) FROM channel
            WHERE slug = \(id.text) AND deleted_at IS NULL \(verbatim: Self.rowLock)
            """)
        guard let row = rows.first else { throw CatalogueError.noSuchChannel(id) }
        let current = try row.decode("version", as: Int64.self)
        if let version, version != current { throw CatalogueError.staleVersion(current: current) }
        return row
    }

    /// SQL that locks the row of a channel against other changes.
    ///
    /// Not against references to it: a commit locks the published head and then inserts rows that refer to
    /// the channel, and a purge takes the two the other way round.
    static let rowLock = "FOR NO KEY UPDATE"

    /// The fields of settings that this version writes.
    private static let knownKeys = ChannelSettings.CodingKeys.allCases.map(\.rawValue)

    private static func text(of settings: ChannelSettings) throws(CatalogueError) -> String {
        do {
            return String(decoding: try JSONEncoder().encode(settings), as: UTF8.self)
        } catch {
            throw .unreadable("the settings cannot be encoded: \(error)")
        }
    }

    static func channel(from row: Row) throws -> Channel {
        try StoredChannel(from: row).channel.get()
    }
}
