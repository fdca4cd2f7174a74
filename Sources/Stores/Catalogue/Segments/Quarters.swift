import Postgres
import Timeline

extension Catalogue {
    /// No segment is longer, microseconds; this bounds the range that has to be read to find overlaps.
    package static let longestSegment: Int64 = 600_000_000

    /// Reads the segments that begin in some quarters with one index range scan.
    package func quarters(_ range: QuarterRange) async throws(CatalogueError) -> [QuarterRecord] {
        // The versions are read first: a commit in between makes the segments newer than their version, never
        // older.
        let versions = try await versions(of: range.quarters)
        let segments = try await mappingErrors { try await storedSegments(in: range) }
        if segments.count > Limits.segmentsPerScan { return try await halves(of: range) }
        var rest = segments[...]
        return range.quarters.map { quarter in
            let end = Instant(microseconds: quarter.begin + Quarter.microseconds)
            let own = rest.prefix { $0.start < end }
            rest = rest.dropFirst(own.count)
            return QuarterRecord(quarter: quarter, version: versions[quarter], segments: Array(own))
        }
    }

    /// Few segments have a measured duration or cue tags, so these are not in the index.
    private func storedSegments(in range: QuarterRange) async throws -> [RecordedSegment] {
        var segments = try RecordedSegment.reading(try await pool.query(Self.scan(of: range)))
        let more: SegmentFlags = [.measuredDuration, .hasCueTags]
        guard segments.contains(where: { !$0.flags.isDisjoint(with: more) }) else { return segments }
        var measured: [Int64: Int64] = [:]
        var cueTags: [Int64: [String]] = [:]
        for row in try await pool.query(Self.more(of: range, flags: more)) {
            let start = try row.decode("start_us", as: Int64.self)
            measured[start] = try row.decode("measured_us", as: Int64?.self)
            cueTags[start] = try row.decode("cue_tags", as: String?.self).map(CueTagText.tags)
        }
        for index in segments.indices where !segments[index].flags.isDisjoint(with: more) {
            let (flags, start) = (segments[index].flags, segments[index].start.microseconds)
            if flags.contains(.measuredDuration) { segments[index].measuredDuration = measured[start] }
            if flags.contains(.hasCueTags) { segments[index].cueTags = cueTags[start] ?? [] }
        }
        return segments
    }

    /// Reads a range in two parts, because very short segments can exceed the limit of one scan.
    private func halves(of range: QuarterRange) async throws(CatalogueError) -> [QuarterRecord] {
        guard range.count > 1 else {
            throw .unreadable("more than \(Limits.segmentsPerScan) segments in a quarter of an hour")
        }
        let (first, quarters) = (range.count / 2, range.quarters)
        let lower = try await self.quarters(QuarterRange(first: range.first, count: first))
        return lower
            + (try await self.quarters(
                QuarterRange(first: quarters[first], count: range.count - first)))
    }

    /// Reads only columns that the primary key index includes, so that the table itself is not read.
    static func scan(of range: QuarterRange) -> Statement {
        """
        SELECT start_us, duration_us, number, epoch, revision, state_id, flags, stored_bytes, plain_bytes, iv
        FROM segment
        WHERE rendition_id = \(range.first.rendition) AND start_us >= \(range.first.begin) AND start_us < \(range.end)
        ORDER BY start_us LIMIT \(Limits.segmentsPerScan + 1)
        """
    }

    private static func more(of range: QuarterRange, flags: SegmentFlags) -> Statement {
        """
        SELECT start_us, measured_us::bigint AS measured_us, cue_tags FROM segment
        WHERE rendition_id = \(range.first.rendition) AND start_us >= \(range.first.begin) AND start_us < \(range.end)
            AND flags & \(flags.rawValue) <> 0
        """
    }

    /// The versions of all quarters that are not empty.
    package func versions(of quarters: [Quarter]) async throws(CatalogueError) -> [Quarter: QuarterVersion] {
        guard !quarters.isEmpty else { return [:] }
        return try await mappingErrors {
            let rows = try await pool.query(
                """
                SELECT rendition_id, quarter_us, revision, begin_us, end_us, segments
                FROM block JOIN unnest(\(quarters.map(\.rendition)), \(quarters.map(\.begin)))
                    AS wanted(rendition_id, quarter_us) USING (rendition_id, quarter_us)
                """)
            var versions: [Quarter: QuarterVersion] = [:]
            for row in rows {
                let quarter = Quarter(
                    rendition: try row.decode("rendition_id"), containing: try row.decode("quarter_us"))
                versions[quarter] = QuarterVersion(
                    revision: try row.decode("revision"), begin: try row.decode("begin_us"),
                    end: try row.decode("end_us"), segments: try row.decode("segments"))
            }
            return versions
        }
    }
}
