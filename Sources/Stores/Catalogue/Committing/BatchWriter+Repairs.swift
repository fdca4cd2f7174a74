import Postgres
package import Timeline

extension BatchWriter {
    /// Notes better bytes of segments that are stored already.
    ///
    /// Growing playlists go on to list the bytes that were published; closed windows list the newest ones. A
    /// segment that is not there has entered with these bytes before. The part that a former owner has does
    /// not take the place of a whole segment.
    ///
    /// - Returns: the quarters that changed
    func enterRepairs() async throws -> TouchedQuarters {
        var touched = TouchedQuarters()
        guard batch.segments.contains(where: { $0.fact.replaces != nil }) else { return touched }
        let renditions = try await renditionRows()
        let facts = bestRepairs.filter { renditions[$0.identity.rendition] != nil }
        guard !facts.isEmpty else { return touched }
        let days = DayRange(around: facts)
        let formats = try await formatRows(facts)
        let rows = try await transaction.query(
            """
            UPDATE segment s SET flags = s.flags | \(SegmentFlags.repaired.rawValue), repair_revision = t.revision,
                repair_state_id = t.state_id, repair_flags = t.flags, repair_stored_bytes = t.stored_bytes,
                repair_plain_bytes = t.plain_bytes, repair_iv = t.iv, repair_measured_us = t.measured_us,
                repair_digest = t.digest, repair_key_frames = t.key_frames
            FROM unnest(\(facts.map { renditions[$0.identity.rendition] }), \(facts.map(\.start.microseconds)),
                \(facts.map(\.identity.run)), \(facts.map(\.identity.number)), \(facts.map(\.revision)),
                \(facts.map { formats[$0.format.canonicalText] }), \(facts.map(\.flags.rawValue)),
                \(facts.map { Int32(clamping: $0.storedBytes) }), \(facts.map { Int32(clamping: $0.plainBytes) }),
                \(facts.map(\.iv)), \(facts.map { $0.measuredDuration.map { Int32(clamping: $0) } }),
                \(facts.map(\.digest)), \(facts.map { $0.keyFrames?.packed }))
                AS t(rendition_id, start_us, feed_id, origin_number, revision, state_id, flags, stored_bytes, plain_bytes,
                    iv, measured_us, digest, key_frames)
            WHERE s.rendition_id = t.rendition_id AND s.start_us = t.start_us AND s.feed_id = t.feed_id
                AND s.origin_number = t.origin_number AND \(verbatim: Statement.isImproved)
                AND s.start_us >= \(number: days.begin) AND s.start_us < \(number: days.end)
            RETURNING s.rendition_id, s.start_us
            """)
        for row in rows {
            let quarter = Quarter(rendition: try row.decode(0), containing: try row.decode(1))
            touched.add(quarter, of: batch.channel, isSummarised: false)
        }
        return touched
    }

    /// One fact of each segment: the newest whole one, else the newest.
    ///
    /// If several rows update the same row, PostgreSQL uses any one of them.
    private var bestRepairs: [SegmentFact] {
        var best: [SegmentIdentity: SegmentFact] = [:]
        for fact in batch.segments.lazy.map(\.fact) where fact.replaces != nil {
            if let known = best[fact.identity], !fact.isBetter(than: known) { continue }
            best[fact.identity] = fact
        }
        return best.values.sorted { ($0.start, $0.revision) < ($1.start, $1.revision) }
    }
}

extension Catalogue {
    /// Those of better bytes that the catalogue lacks although it has the segments.
    package func missingRepairs(
        _ facts: [SegmentFact], of channel: Int32,
    ) async throws(CatalogueError) -> [SegmentFact] {
        guard !facts.isEmpty else { return [] }
        let days = DayRange(around: facts)
        return try await mappingErrors {
            try await pool.query(
                """
                SELECT t.place FROM unnest(\(facts.indices.map { Int32(clamping: $0) }),
                    \(facts.map(\.identity.rendition.description)), \(facts.map(\.start.microseconds)),
                    \(facts.map(\.identity.run)), \(facts.map(\.identity.number)), \(facts.map(\.revision)),
                    \(facts.map(\.flags.rawValue)), \(facts.map { Int32(clamping: $0.plainBytes) }))
                    AS t(place, name, start_us, run, number, revision, flags, plain_bytes)
                    JOIN rendition r ON r.channel_id = \(channel) AND r.name = t.name
                    JOIN segment s ON s.rendition_id = r.rendition_id AND s.start_us = t.start_us
                        AND s.feed_id = t.run AND s.origin_number = t.number
                        AND s.start_us >= \(number: days.begin) AND s.start_us < \(number: days.end)
                WHERE \(verbatim: Statement.isImproved) ORDER BY t.place
                """
            ).map { facts[Int(try $0.decode("place", as: Int32.self))] }
        }
    }
}

extension SegmentFact {
    private var isWhole: Bool { flags.isDisjoint(with: .parts) }

    fileprivate func isBetter(than other: SegmentFact) -> Bool {
        isWhole == other.isWhole ? revision > other.revision : isWhole
    }
}

extension Statement {
    /// SQL for whether the bytes `t` of a segment are better than those that its row `s` has.
    ///
    /// A part is better than a shorter one, and than first bytes that are shorter: they may have counted as
    /// whole only until the next segment showed that their end is missing.
    fileprivate static let isImproved = """
        greatest(s.revision, s.repair_revision) < t.revision
            AND (t.flags & \(SegmentFlags.parts.rawValue) = 0
                OR t.plain_bytes > coalesce(s.repair_plain_bytes, s.plain_bytes)
                    AND (s.repair_flags IS NULL OR s.repair_flags & \(SegmentFlags.parts.rawValue) <> 0))
        """
}
