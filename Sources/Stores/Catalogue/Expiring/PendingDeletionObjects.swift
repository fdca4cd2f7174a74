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
    /// Returns at most `limit` unused initialization sections and keys whose grace period is over; none only
    /// when no more are due.
    ///
    /// An object that is in use again is taken off the list. `ahead` is how many microseconds the database's
    /// clock is ahead of the time from which ages are measured.
    package func pendingDeletionObjects(
        limit: Int, ahead: Int64 = 0,
    ) async throws(CatalogueError) -> [PendingDeletionObject] {
        try await mappingErrors {
            // Each statement without an unused object takes some off the list, so this comes to an end.
            while true {
                let rows = try await pool.query(Self.dueObjects(limit: limit, ahead: ahead))
                let unused = try rows.filter { try !$0.decode("in_use", as: Bool.self) }
                if !unused.isEmpty || rows.isEmpty {
                    return try unused.compactMap(PendingDeletionObject.init)
                }
                try Task.checkCancellation()
            }
        }
    }

    /// The next objects that are due; those that a format names again are taken off the list.
    ///
    /// Keys and initialization sections are looked up apart, each by an index of its own.
    private static func dueObjects(limit: Int, ahead: Int64) -> Statement {
        """
        WITH due AS MATERIALIZED (
            SELECT channel_id, is_key, name, not_before FROM pending_deletion_object
            WHERE not_before <= now() - make_interval(secs => \(Microseconds.seconds(ahead)))
            ORDER BY not_before LIMIT \(limit)),
        used AS MATERIALIZED (
            SELECT channel_id, is_key, name FROM due
            WHERE is_key AND EXISTS (SELECT FROM state s
                WHERE s.channel_id = due.channel_id AND s.key_name = due.name)
            UNION ALL SELECT channel_id, is_key, name FROM due
            WHERE NOT is_key AND EXISTS (SELECT FROM state s
                WHERE s.channel_id = due.channel_id AND s.init_name = due.name)),
        gone AS (
            DELETE FROM pending_deletion_object d USING used u
            WHERE d.channel_id = u.channel_id AND d.is_key = u.is_key AND d.name = u.name)
        SELECT due.channel_id, slug, due.is_key, due.name, u.name IS NOT NULL AS in_use,
            ARRAY(SELECT r.name FROM rendition r WHERE r.channel_id = due.channel_id ORDER BY 1) AS renditions
        FROM due JOIN channel USING (channel_id) LEFT JOIN used u
            ON u.channel_id = due.channel_id AND u.is_key = due.is_key AND u.name = due.name
        ORDER BY due.not_before
        """
    }

    /// Delays the deletion of an object, counted from now.
    package func postpone(_ object: PendingDeletionObject, seconds: Int) async throws(CatalogueError) {
        try await mappingErrors {
            _ = try await pool.query(
                """
                UPDATE pending_deletion_object
                SET not_before = now() + make_interval(secs => \(Double(seconds)))
                WHERE channel_id = \(object.channel) AND is_key = \(object.isKey)
                    AND name = \(object.name) AND not_before <= now()
                """)
        }
    }

    /// Removes an object whose bytes have been deleted.
    package func completeDeletion(_ object: PendingDeletionObject) async throws(CatalogueError) {
        try await mappingErrors {
            _ = try await pool.query(
                """
                DELETE FROM pending_deletion_object
                WHERE channel_id = \(object.channel) AND is_key = \(object.isKey)
                    AND name = \(object.name) AND not_before <= now()
                """)
        }
    }
}
