import Postgres
package import Timeline

/// Quarters of one rendition that follow each other.
package struct QuarterRange: Hashable, Sendable {
    package var first: Quarter
    package var count: Int

    package init(first: Quarter, count: Int) {
        self.first = first
        self.count = count
    }

    package var quarters: [Quarter] {
        (0..<count).map { index in
            var quarter = first
            quarter.begin += Int64(index) * Quarter.microseconds
            return quarter
        }
    }

    fileprivate var end: Int64 { first.begin + Int64(count) * Quarter.microseconds }
}

/// What tells one content of a quarter from another: the revision, and what a quarter that was emptied and begun anew
/// cannot have again with it.
package struct QuarterVersion: Hashable, Sendable {
    package var revision: Int32
    package var begin: Int64
    package var end: Int64
    package var segments: Int32

    package init(revision: Int32, begin: Int64, end: Int64, segments: Int32) {
        self.revision = revision
        self.begin = begin
        self.end = end
        self.segments = segments
    }
}

/// Every segment that begins in a quarter.
package struct QuarterRecord: Sendable {
    package var quarter: Quarter
    /// At most as new as the segments; nil of an empty quarter.
    package var version: QuarterVersion?
    /// In order of their starts.
    package var segments: [RecordedSegment]

    package init(quarter: Quarter, version: QuarterVersion?, segments: [RecordedSegment]) {
        self.quarter = quarter
        self.version = version
        self.segments = segments
    }
}

extension Catalogue {
    /// No segment is longer, so that an overlap is a bounded range of the index.
    package static let longestSegment: Int64 = 600_000_000

    /// Reads the segments that begin in quarters, all in one range of the index.
    package func quarters(_ range: QuarterRange) async throws(CatalogueError) -> [QuarterRecord] {
        // Versions first: what is committed in between makes the segments newer than their version, never older.
        let versions = try await versions(of: range.quarters)
        let segments = try await asking {
            try RecordedSegment.reading(try await pool.query(Self.scan(of: range)))
        }
        if segments.count > Limits.segmentsPerScan { return try await halves(of: range) }
        var rest = segments[...]
        return range.quarters.map { quarter in
            let end = Instant(microseconds: quarter.begin + Quarter.microseconds)
            let own = rest.prefix { $0.start < end }
            rest = rest.dropFirst(own.count)
            return QuarterRecord(quarter: quarter, version: versions[quarter], segments: Array(own))
        }
    }

    /// Segments of a fraction of a second can be more than one scan may read.
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

    /// Asks for nothing that the primary key does not cover, so that the table itself is not read.
    static func scan(of range: QuarterRange) -> Statement {
        """
        SELECT start_us, duration_us, number, epoch, revision, state_id, flags, stored_bytes, plain_bytes, iv
        FROM segment
        WHERE rendition_id = \(range.first.rendition) AND start_us >= \(range.first.begin) AND start_us < \(range.end)
        ORDER BY start_us LIMIT \(Limits.segmentsPerScan + 1)
        """
    }

    /// The versions of quarters that are not empty.
    package func versions(of quarters: [Quarter]) async throws(CatalogueError) -> [Quarter: QuarterVersion] {
        guard !quarters.isEmpty else { return [:] }
        return try await asking {
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

    /// Reads states by their ids.
    package func formats(_ ids: Set<Int32>) async throws(CatalogueError) -> [Int32: SegmentFormat] {
        guard !ids.isEmpty else { return [:] }
        return try await asking {
            var found: [Int32: SegmentFormat] = [:]
            let rows = try await pool.query(
                """
                SELECT state_id, \(verbatim: FormatRow.columns) FROM state
                WHERE state_id = ANY(\(ids.sorted()))
                """)
            for row in rows { found[try row.decode("state_id")] = try FormatRow.reading(row) }
            return found
        }
    }
}
