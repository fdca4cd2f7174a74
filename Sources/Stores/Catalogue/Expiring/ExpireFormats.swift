import Postgres
import Synchronization
import Timeline

extension Catalogue {
    /// Deletes formats of all channels that no stored segment uses.
    ///
    /// Their initialization sections and keys stay during the grace period for players that still need them.
    /// Where each segment has a key of its own, the formats are millions: they are examined in steps, each in
    /// a transaction, and after `Limits.formatSteps` of them the next call continues.
    package func expireFormats(graceSeconds: Int) async throws(CatalogueError) {
        try await expireFormats(graceSeconds: graceSeconds, step: Limits.prunedPerStatement)
    }

    /// The same in steps of a number of formats.
    func expireFormats(graceSeconds: Int, step: Int64) async throws(CatalogueError) {
        try await mappingErrors {
            for _ in 0..<Limits.formatSteps {
                let previous = examinedFormat.load(ordering: .relaxed)
                let last = try await lastFormat(after: previous, step: step)
                let range = Int64(previous) + 1...(last.map(Int64.init) ?? .max)
                _ = try await pool.transaction { transaction in
                    try await transaction.deleteFormats(.expiredFormats(range), grace: graceSeconds)
                }
                examinedFormat.store(last ?? 0, ordering: .relaxed)
                if last == nil { return }
                try Task.checkCancellation()
            }
        }
    }

    /// The format with which a step ends; nil if fewer formats are left.
    private func lastFormat(after id: Int32, step: Int64) async throws -> Int32? {
        let rows = try await pool.query(
            """
            SELECT state_id FROM state WHERE state_id > \(id) ORDER BY state_id OFFSET \(step - 1) LIMIT 1
            """)
        return try rows.first?.decode("state_id")
    }
}

extension Statement {
    /// The outer condition is judged again for a format that a commit has used meanwhile.
    fileprivate static func expiredFormats(_ ids: ClosedRange<Int64>) -> Statement {
        """
        DELETE FROM state s USING line l
        WHERE s.state_id = ANY(ARRAY(
                SELECT o.state_id FROM state o JOIN line p USING (channel_id)
                WHERE o.state_id BETWEEN \(ids.lowerBound) AND \(ids.upperBound)
                    AND o.last_used_us < p.forgotten_us
                    AND NOT EXISTS (SELECT FROM segment_kept k WHERE k.state_id = o.state_id)
                    AND NOT EXISTS (SELECT FROM segment_kept k WHERE k.repair_state_id = o.state_id)))
            AND l.channel_id = s.channel_id AND s.last_used_us < l.forgotten_us
        RETURNING s.channel_id, s.init_name, s.key_name
        """
    }

    fileprivate static func formats(of channel: Int32, limit: Int64) -> Statement {
        """
        DELETE FROM state WHERE state_id = ANY(ARRAY(
            SELECT state_id FROM state WHERE channel_id = \(channel) LIMIT \(limit)))
        RETURNING channel_id, init_name, key_name
        """
    }
}

extension PostgresTransaction {
    /// Deletes all formats of a channel, in steps of a number of them.
    func deleteFormats(of channel: Int32, grace: Int, step: Int64) async throws {
        var count = step
        while count == step {
            count = Int64(try await deleteFormats(.formats(of: channel, limit: step), grace: grace))
        }
    }

    /// Runs a statement that deletes formats and schedules the deletion of the objects that they named;
    /// returns the number of formats.
    fileprivate func deleteFormats(_ deletion: Statement, grace: Int) async throws -> Int {
        let gone = try await query(deletion)
        var objects: Set<UnusedObject> = []
        for row in gone {
            let channel = try row.decode("channel_id", as: Int32.self)
            for (column, isKey) in [("init_name", false), ("key_name", true)] {
                guard let name = try row.decode(column, as: String?.self) else { continue }
                objects.insert(UnusedObject(channel: channel, isKey: isKey, name: name))
            }
        }
        try await scheduleDeletion(Array(objects), grace: grace)
        return gone.count
    }

    private func scheduleDeletion(_ objects: [UnusedObject], grace: Int) async throws {
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

private struct UnusedObject: Hashable {
    var channel: Int32
    var isKey: Bool
    var name: String
}
