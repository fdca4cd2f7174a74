import Postgres
package import Timeline

/// The key frames of one version of a segment's bytes.
package struct SegmentKeyFrames: Sendable, Equatable {
    package var start: Instant
    package var revision: Int16
    package var keyFrames: KeyFrames

    package init(start: Instant, revision: Int16, keyFrames: KeyFrames) {
        (self.start, self.revision, self.keyFrames) = (start, revision, keyFrames)
    }
}

extension Catalogue {
    /// The key frames in each of some quarters of one rendition, which are in order: packed ones with one
    /// query, the others from the rows.
    package func keyFramesByQuarter(
        of quarters: [Quarter],
    ) async throws(CatalogueError) -> [QuarterKeyFrames] {
        guard let first = quarters.first, let last = quarters.last else { return [] }
        return try await mappingErrors {
            let count = Int((last.begin - first.begin) / Quarter.microseconds) + 1
            let packed = try await packedKeyFrames(QuarterRange(first: first, count: count))
            var found: [Quarter: QuarterKeyFrames] = [:]
            var rest: [Quarter] = []
            for quarter in quarters {
                if let bytes = packed[quarter], let own = PackedKeyFrames.unpack(bytes, of: quarter) {
                    found[quarter] = own
                } else {
                    rest.append(quarter)
                }
            }
            for missing in QuarterRange.joining(rest).joined(above: Limits.scansPerRead) {
                for (quarter, own) in try await scannedKeyFrames(missing) {
                    found[quarter] = QuarterKeyFrames(own)
                }
            }
            return quarters.map { found[$0] ?? QuarterKeyFrames() }
        }
    }

    /// Those that are packed as they are now.
    private func packedKeyFrames(_ range: QuarterRange) async throws -> [Quarter: [UInt8]] {
        let rows = try await pool.query(
            """
            SELECT quarter_us, packed FROM packed_key_frames JOIN block USING (rendition_id, quarter_us, revision)
            WHERE rendition_id = \(range.first.rendition) AND quarter_us >= \(range.first.begin)
                AND quarter_us < \(range.end)
            """)
        let (begins, packed) = (try rows.integers("quarter_us"), try rows.bytes("packed"))
        var found: [Quarter: [UInt8]] = [:]
        for index in 0..<rows.count {
            guard let begin = begins[index], let bytes = packed[index] else { continue }
            found[Quarter(rendition: range.first.rendition, containing: begin)] = bytes
        }
        return found
    }

    /// Reads the rows of consecutive quarters.
    func scannedKeyFrames(_ range: QuarterRange) async throws -> [Quarter: [SegmentKeyFrames]] {
        let rows = try await pool.query(
            """
            SELECT start_us, revision, key_frames, repair_revision, repair_key_frames FROM segment
            WHERE rendition_id = \(range.first.rendition) AND start_us >= \(range.first.begin)
                AND start_us < \(range.end) AND (key_frames IS NOT NULL OR repair_key_frames IS NOT NULL)
            ORDER BY start_us LIMIT \(Limits.segmentsPerScan)
            """)
        let starts = try rows.integers("start_us")
        var found: [Quarter: [SegmentKeyFrames]] = [:]
        for names in [("revision", "key_frames"), ("repair_revision", "repair_key_frames")] {
            let (revisions, packed) = (try rows.integers(names.0), try rows.bytes(names.1))
            for index in 0..<rows.count {
                guard let start = starts[index], let revision = revisions[index], let bytes = packed[index],
                    let own = KeyFrames(packed: bytes[...])
                else { continue }
                let quarter = Quarter(rendition: range.first.rendition, containing: start)
                found[quarter, default: []].append(
                    SegmentKeyFrames(
                        start: Instant(microseconds: start), revision: Int16(truncatingIfNeeded: revision),
                        keyFrames: own))
            }
        }
        return found.mapValues { entries in
            entries.sorted { ($0.start, $0.revision) < ($1.start, $1.revision) }
        }
    }

    /// Packs the key frames of quarters that have some; what has none, or too many, is left as rows.
    ///
    /// It runs before the segments are packed, as only quarters without packed segments are looked for.
    func packKeyFrames(of records: [QuarterRecord]) async throws {
        let wanted = records.filter { record in
            ([record.segments, record.repaired ?? []].joined()).contains { $0.flags.contains(.hasKeyFrames) }
        }
        var packed: [(quarter: Quarter, version: QuarterVersion, bytes: [UInt8])] = []
        for range in QuarterRange.joining(wanted.map(\.quarter)) {
            let found = try await scannedKeyFrames(range)
            for record in wanted {
                guard let version = record.version, let entries = found[record.quarter],
                    let bytes = PackedKeyFrames.pack(entries, of: record.quarter)
                else { continue }
                packed.append((record.quarter, version, bytes))
            }
        }
        guard !packed.isEmpty else { return }
        _ = try await pool.query(
            Self.packing(
                packed.map(\.quarter), packed.map(\.version), packed.map(\.bytes), into: "packed_key_frames"))
    }
}
