import Postgres
package import Timeline

/// An initialization section or a key that nothing needs any more.
package struct PendingDeletionObject: Sendable {
    let channel: Int32
    let isKey: Bool
    let name: String
    /// Where it may lie: each rendition has its own initialization sections.
    package let keys: [ArchiveKey]

    /// Nil for a channel's id that this program cannot read.
    fileprivate init?(_ row: Row) throws {
        guard let id = ChannelID(try row.decode("slug", as: String.self)) else { return nil }
        channel = try row.decode("channel_id")
        isKey = try row.decode("is_key")
        let name = try row.decode("name", as: String.self)
        self.name = name
        let renditions = try row.decode("renditions", as: [String].self).compactMap { RenditionID($0) }
        keys = isKey ? [.key(id, name)] : renditions.map { .initialization(id, $0, name) }
    }
}

extension Catalogue {
    /// Initialization sections and keys whose grace is over and that no state names, at most so many.
    ///
    /// One that a state names again is doomed no more.
    package func pendingDeletionObjects(limit: Int) async throws(CatalogueError) -> [PendingDeletionObject] {
        try await asking {
            _ = try await pool.query(
                """
                DELETE FROM doomed_object d WHERE not_before <= now() AND EXISTS (
                    SELECT FROM state s WHERE s.channel_id = d.channel_id
                        AND d.name = CASE WHEN d.is_key THEN s.key_name ELSE s.init_name END)
                """)
            let rows = try await pool.query(
                """
                SELECT channel_id, slug, is_key, d.name,
                    ARRAY(SELECT r.name FROM rendition r WHERE r.channel_id = d.channel_id ORDER BY 1) AS renditions
                FROM doomed_object d JOIN channel USING (channel_id)
                WHERE not_before <= now() ORDER BY not_before LIMIT \(limit)
                """)
            return try rows.compactMap(PendingDeletionObject.init)
        }
    }

    /// The bytes of an object are gone.
    package func completeDeletion(_ object: PendingDeletionObject) async throws(CatalogueError) {
        try await asking {
            _ = try await pool.query(
                """
                DELETE FROM doomed_object WHERE channel_id = \(object.channel) AND is_key = \(object.isKey)
                    AND name = \(object.name) AND not_before <= now()
                """)
        }
    }
}
