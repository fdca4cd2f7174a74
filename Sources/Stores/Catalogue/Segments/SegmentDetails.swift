import Postgres
import Timeline

/// What the index of the segments does not have, because few of them have it.
struct SegmentDetails {
    /// What EXTINF says, microseconds, where it is not the length of the segment's time.
    var measuredDuration: Int64?
    var cueTags: [String]
    var repair: SegmentRepair?
}

/// Better bytes that came after a segment was published.
struct SegmentRepair {
    var revision: Int16
    var formatID: Int32
    var flags: SegmentFlags
    var storedBytes: Int64
    var plainBytes: Int64
    var iv: [UInt8]?
    var measuredDuration: Int64?

    /// The segment with these bytes.
    func applied(to segment: RecordedSegment) -> RecordedSegment {
        var repaired = segment
        (repaired.revision, repaired.formatID) = (revision, formatID)
        repaired.flags = flags.union(segment.flags.intersection(.discontinuity))
        (repaired.storedBytes, repaired.plainBytes, repaired.iv) = (storedBytes, plainBytes, iv)
        repaired.measuredDuration = measuredDuration
        return repaired
    }
}

extension Catalogue {
    private static let detailed: SegmentFlags = [.measuredDuration, .hasCueTags, .repaired]

    /// The details of those segments whose flags say that there are some.
    func details(
        of segments: [RecordedSegment], in range: QuarterRange,
    ) async throws -> [Instant: SegmentDetails] {
        guard segments.contains(where: { !$0.flags.isDisjoint(with: Self.detailed) }) else { return [:] }
        let rows = try await pool.query(
            """
            SELECT start_us, flags, measured_us::bigint AS measured_us, cue_tags, repair_revision, repair_state_id, repair_flags,
                repair_stored_bytes::bigint AS repair_stored_bytes, repair_plain_bytes::bigint AS repair_plain_bytes,
                repair_iv, repair_measured_us::bigint AS repair_measured_us
            FROM segment
            WHERE rendition_id = \(range.first.rendition) AND start_us >= \(range.first.begin)
                AND start_us < \(range.end) AND flags & \(Self.detailed.rawValue) <> 0
            """)
        var details: [Instant: SegmentDetails] = [:]
        for row in rows {
            let flags = SegmentFlags(rawValue: try row.decode("flags"))
            details[Instant(microseconds: try row.decode("start_us"))] = SegmentDetails(
                measuredDuration: flags.contains(.measuredDuration) ? try row.decode("measured_us") : nil,
                cueTags: flags.contains(.hasCueTags)
                    ? try row.decode("cue_tags", as: String?.self).map(CueTagText.tags) ?? [] : [],
                repair: try SegmentRepair(row))
        }
        return details
    }
}

extension SegmentRepair {
    /// Nil when the segment has none.
    fileprivate init?(_ row: Row) throws {
        guard let revision = try row.decode("repair_revision", as: Int16?.self),
            let formatID = try row.decode("repair_state_id", as: Int32?.self),
            let storedBytes = try row.decode("repair_stored_bytes", as: Int64?.self),
            let plainBytes = try row.decode("repair_plain_bytes", as: Int64?.self)
        else { return nil }
        let flags = SegmentFlags(rawValue: try row.decode("repair_flags", as: Int16?.self) ?? 0)
        self.init(
            revision: revision, formatID: formatID, flags: flags, storedBytes: storedBytes,
            plainBytes: plainBytes, iv: try row.decode("repair_iv"),
            measuredDuration: flags.contains(.measuredDuration) ? try row.decode("repair_measured_us") : nil)
    }
}
