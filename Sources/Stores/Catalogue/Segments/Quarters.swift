import Postgres
import Timeline

extension Catalogue {
    /// No segment is longer, microseconds; this bounds the range that has to be read to find overlaps.
    package static let longestSegment: Int64 = 600_000_000

    /// Reads the segments that begin in some quarters: packed ones with one query, the others with an index
    /// range scan for each run of them.
    package func quarters(_ range: QuarterRange) async throws(CatalogueError) -> [QuarterRecord] {
        // The versions are read first: a commit in between makes the segments newer than their version, never
        // older.
        let stored = try await mappingErrors { try await packedQuarters(range) }
        var records = range.quarters.map { stored.packed[$0] }
        let rest = QuarterRange.joining(range.quarters.filter { stored.packed[$0] == nil })
        for missing in rest.joined(above: Limits.scansPerRead) {
            let first = Int((missing.first.begin - range.first.begin) / Quarter.microseconds)
            let scanned = try await scanned(missing, stored.versions)
            for (index, record) in scanned.enumerated() { records[first + index] = record }
        }
        return records.compactMap(\.self)
    }

    /// The versions of quarters, and those that are packed as they are now, with one query.
    private func packedQuarters(
        _ range: QuarterRange,
    ) async throws -> (versions: [Quarter: QuarterVersion], packed: [Quarter: QuarterRecord]) {
        let rows = try await pool.query(
            """
            SELECT b.quarter_us, b.revision, b.begin_us, b.end_us, b.segments, p.packed
            FROM block b LEFT JOIN packed_quarter p ON p.rendition_id = b.rendition_id
                AND p.quarter_us = b.quarter_us AND p.revision = b.revision
                AND p.quarter_us >= \(range.first.begin) AND p.quarter_us < \(range.end)
            WHERE b.rendition_id = \(range.first.rendition) AND b.quarter_us >= \(range.first.begin)
                AND b.quarter_us < \(range.end)
            """)
        var versions: [Quarter: QuarterVersion] = [:]
        var packed: [Quarter: QuarterRecord] = [:]
        let bytes = try rows.bytes("packed")
        for (index, row) in rows.enumerated() {
            let quarter = Quarter(
                rendition: range.first.rendition, containing: try row.decode("quarter_us"))
            let version = try QuarterVersion(row)
            versions[quarter] = version
            packed[quarter] = bytes[index].flatMap { PackedQuarter.unpack($0, of: quarter, version) }
        }
        return (versions, packed)
    }

    /// Reads the rows of consecutive quarters with one index range scan.
    func scanned(
        _ range: QuarterRange, _ versions: [Quarter: QuarterVersion],
    ) async throws(CatalogueError) -> [QuarterRecord] {
        var segments = try await mappingErrors {
            try RecordedSegment.reading(try await pool.query(Self.scan(of: range)))
        }
        if segments.count > Limits.segmentsPerScan { return try await halves(of: range, versions) }
        let listed = segments
        let found = try await mappingErrors { try await details(of: listed, in: range) }
        for index in segments.indices {
            guard let more = found[segments[index].start] else { continue }
            (segments[index].measuredDuration, segments[index].cueTags) = (
                more.measuredDuration, more.cueTags
            )
        }
        var rest = segments[...]
        return range.quarters.map { quarter in
            let end = Instant(microseconds: quarter.begin + Quarter.microseconds)
            let own = Array(rest.prefix { $0.start < end })
            rest = rest.dropFirst(own.count)
            let isRepaired = own.contains { found[$0.start]?.repair != nil }
            return QuarterRecord(
                quarter: quarter, version: versions[quarter], segments: own,
                repaired: isRepaired ? own.map { found[$0.start]?.repair?.applied(to: $0) ?? $0 } : nil)
        }
    }

    /// Reads a range in two parts, because very short segments can exceed the limit of one scan.
    private func halves(
        of range: QuarterRange, _ versions: [Quarter: QuarterVersion],
    ) async throws(CatalogueError) -> [QuarterRecord] {
        guard range.count > 1 else {
            throw .unreadable("more than \(Limits.segmentsPerScan) segments in a quarter of an hour")
        }
        let (first, quarters) = (range.count / 2, range.quarters)
        let lower = try await scanned(QuarterRange(first: range.first, count: first), versions)
        return lower
            + (try await scanned(
                QuarterRange(first: quarters[first], count: range.count - first), versions))
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
                versions[quarter] = try QuarterVersion(row)
            }
            return versions
        }
    }
}

extension QuarterVersion {
    fileprivate init(_ row: Row) throws {
        self.init(
            revision: try row.decode("revision"), begin: try row.decode("begin_us"),
            end: try row.decode("end_us"), segments: try row.decode("segments"))
    }
}

extension [QuarterRange] {
    /// One range from the first to the last if there are more than some, which are ordered.
    func joined(above limit: Int) -> [QuarterRange] {
        guard count > limit, let first, let last else { return self }
        let count = Int((last.end - first.first.begin) / Quarter.microseconds)
        return [QuarterRange(first: first.first, count: count)]
    }
}
