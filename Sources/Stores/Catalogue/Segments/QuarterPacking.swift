import Postgres
package import Timeline

/// Packing closed quarters, so that windows of the past are read as few rows.
///
/// A packed quarter has the revision of the summary that it was made under. Every transaction that changes
/// segments raises that revision or deletes the summary, and with it what is packed, whichever version of the
/// program it belongs to. So a packed quarter is read only as long as its segments are the same. It is made
/// again in a later round, and until then its segments are read as rows.
extension Catalogue {
    /// Packs closed quarters that are not packed as they are now: those of which this process has committed
    /// segments, and those that it finds in the next part of all summaries.
    ///
    /// Writes at most `Limits.packedPerRound` quarters; call it again and again. What cannot be packed is
    /// left as rows.
    ///
    /// - Returns: the number of quarters written
    @discardableResult
    package func packQuarters(at now: Instant) async throws(CatalogueError) -> Int {
        let closed = now.microseconds - Quarter.microseconds - Limits.packingDelay
        return try await mappingErrors {
            let changed = packing.take(before: closed, atMost: Limits.packedPerRound)
            var written = 0
            do {
                written = try await pack(changed)
            } catch {
                packing.add(Set(changed))
                throw error
            }
            let found = try await unpackedQuarters(before: closed, atMost: Limits.packedPerRound - written)
            return written + (try await pack(found))
        }
    }

    /// The quarters among the next summaries that are not packed as they are now; after the last one, it
    /// begins at the first again.
    private func unpackedQuarters(before closed: Int64, atMost count: Int) async throws -> [Quarter] {
        let after = packing.examined
        let rows = try await pool.query(
            """
            WITH next AS (
                SELECT rendition_id, quarter_us, revision FROM block
                WHERE (rendition_id, quarter_us) > (\(after?.rendition ?? 0), \(after?.begin ?? .min))
                ORDER BY rendition_id, quarter_us LIMIT \(Limits.examinedPerRound))
            SELECT n.rendition_id, n.quarter_us, p.revision IS NULL AND n.quarter_us < \(closed) AS is_wanted
            FROM next n LEFT JOIN packed_quarter p USING (rendition_id, quarter_us, revision)
            ORDER BY n.rendition_id, n.quarter_us
            """)
        var wanted: [Quarter] = []
        var last: Quarter?
        var isLast = Int64(rows.count) < Limits.examinedPerRound
        for row in rows {
            let quarter = Quarter(rendition: try row.decode(0), containing: try row.decode(1))
            if try row.decode(2, as: Bool.self) {
                if wanted.count >= count {
                    isLast = false
                    break
                }
                wanted.append(quarter)
            }
            last = quarter
        }
        packing.examined = isLast ? nil : last ?? after
        return wanted
    }

    /// Packs ordered quarters, some with each statement.
    private func pack(_ quarters: [Quarter]) async throws -> Int {
        var (written, rest) = (0, quarters[...])
        while !rest.isEmpty {
            let part = Array(rest.prefix(Limits.packedPerStatement))
            rest = rest.dropFirst(part.count)
            // The versions are read before the segments, and must be the same when these are written.
            let versions = try await versions(of: part)
            var packed: [(quarter: Quarter, version: QuarterVersion, bytes: [UInt8])] = []
            for range in QuarterRange.joining(part.filter { versions[$0] != nil }) {
                let records = try await scanned(range, versions)
                try await packKeyFrames(of: records)
                for record in records {
                    guard let version = record.version, let bytes = PackedQuarter.pack(record) else {
                        continue
                    }
                    packed.append((record.quarter, version, bytes))
                }
            }
            guard !packed.isEmpty else { continue }
            written += try await pool.query(
                Self.packing(packed.map(\.quarter), packed.map(\.version), packed.map(\.bytes))
            ).affectedRows
        }
        return written
    }

    /// Stores packed quarters whose summaries still have the same version.
    ///
    /// A summary that is being changed is left out, so this never waits for another transaction and cannot
    /// cause a deadlock.
    static func packing(
        _ quarters: [Quarter], _ versions: [QuarterVersion], _ packed: [[UInt8]],
        into table: String = "packed_quarter",
    ) -> Statement {
        """
        WITH made AS (
            SELECT * FROM unnest(\(quarters.map(\.rendition)), \(quarters.map(\.begin)),
                \(versions.map(\.revision)), \(versions.map(\.segments)), \(versions.map(\.begin)),
                \(versions.map(\.end)), \(packed))
            AS t(rendition_id, quarter_us, revision, segments, begin_us, end_us, packed)),
        same AS (
            SELECT b.rendition_id, b.quarter_us, b.revision
            FROM block b JOIN made USING (rendition_id, quarter_us, revision, segments, begin_us, end_us)
            FOR NO KEY UPDATE OF b SKIP LOCKED)
        INSERT INTO \(identifier: table) (rendition_id, quarter_us, revision, packed)
        SELECT rendition_id, quarter_us, revision, packed
        FROM same JOIN made USING (rendition_id, quarter_us, revision)
        ON CONFLICT (rendition_id, quarter_us) DO UPDATE
            SET revision = excluded.revision, packed = excluded.packed
        """
    }
}
