import Postgres
package import Timeline

/// An initialization section or key that is no longer used.
package struct PendingDeletionObject: Sendable {
    let channel: Int32
    let isKey: Bool
    let name: String
    /// Where the object may be stored; each rendition has its own initialization sections.
    package let keys: [ArchiveKey]

    /// Nil if this program cannot read the channel's id.
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
    /// Returns at most `limit` unused initialization sections and keys whose grace period is over.
    ///
    /// An object that is in use again is taken off the list.
    package func pendingDeletionObjects(limit: Int) async throws(CatalogueError) -> [PendingDeletionObject] {
        try await mappingErrors {
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

    /// Removes an object whose bytes have been deleted.
    package func completeDeletion(_ object: PendingDeletionObject) async throws(CatalogueError) {
        try await mappingErrors {
            _ = try await pool.query(
                """
                DELETE FROM doomed_object WHERE channel_id = \(object.channel) AND is_key = \(object.isKey)
                    AND name = \(object.name) AND not_before <= now()
                """)
        }
    }
}
