import Postgres
import Timeline

extension BatchWriter {
    /// Notes better bytes of segments that are stored already.
    ///
    /// Growing playlists go on to list the bytes that were published; closed windows list the newest ones. A
    /// segment that is not there has entered with these bytes before.
    ///
    /// - Returns: the quarters that changed
    func enterRepairs() async throws -> TouchedQuarters {
        var touched = TouchedQuarters()
        guard batch.segments.contains(where: { $0.fact.replaces != nil }) else { return touched }
        let renditions = try await renditionRows()
        let facts = batch.segments.map(\.fact).filter {
            $0.replaces != nil && renditions[$0.identity.rendition] != nil
        }
        guard let first = facts.map(\.start).min(), let last = facts.map(\.start).max() else {
            return touched
        }
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
                AND s.origin_number = t.origin_number AND greatest(s.revision, s.repair_revision) < t.revision
                AND s.start_us >= \(first.microseconds) AND s.start_us <= \(last.microseconds)
            RETURNING s.rendition_id, s.start_us
            """)
        for row in rows {
            let quarter = Quarter(rendition: try row.decode(0), containing: try row.decode(1))
            touched.add(quarter, of: batch.channel, isSummarised: false)
        }
        return touched
    }
}
