import Postgres
import Timeline

extension Catalogue {
    /// Deletes formats of all channels that no stored segment uses.
    ///
    /// Their initialization sections and keys stay during the grace period for players that still need them.
    package func expireFormats(graceSeconds: Int) async throws(CatalogueError) {
        try await mappingErrors {
            try await pool.transaction { transaction in
                try await transaction.expireFormats(
                    """
                    DELETE FROM state s USING line l
                    WHERE l.channel_id = s.channel_id AND s.last_used_us < l.forgotten_us
                        AND NOT EXISTS (SELECT FROM segment_kept k WHERE k.state_id = s.state_id)
                        AND NOT EXISTS (SELECT FROM segment_kept k WHERE k.repair_state_id = s.state_id)
                    RETURNING s.channel_id, s.init_name, s.key_name
                    """, grace: graceSeconds)
            }
        }
    }
}

extension PostgresTransaction {
    /// Runs a statement that deletes formats and schedules the deletion of the objects that they named.
    func expireFormats(_ deletion: Statement, grace: Int) async throws {
        let gone = try await query(deletion)
        var objects: Set<Named> = []
        for row in gone {
            let channel = try row.decode("channel_id", as: Int32.self)
            for (column, isKey) in [("init_name", false), ("key_name", true)] {
                guard let name = try row.decode(column, as: String?.self) else { continue }
                objects.insert(Named(channel: channel, isKey: isKey, name: name))
            }
        }
        try await scheduleDeletion(Array(objects), grace: grace)
    }

    private func scheduleDeletion(_ objects: [Named], grace: Int) async throws {
        guard !objects.isEmpty else { return }
        _ = try await query(
            """
            INSERT INTO pending_deletion_object (channel_id, is_key, name, not_before)
            SELECT *, now() + make_interval(secs => \(Double(grace)))
            FROM unnest(\(objects.map(\.channel)), \(objects.map(\.isKey)), \(objects.map(\.name)))
            ON CONFLICT (channel_id, is_key, name) DO UPDATE SET not_before = excluded.not_before
            """)
    }
}

private struct Named: Hashable {
    var channel: Int32
    var isKey: Bool
    var name: String
}
