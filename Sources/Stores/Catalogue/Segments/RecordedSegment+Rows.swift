import Postgres
import Timeline

extension RecordedSegment {
    /// Reads the rows of a scan column by column, without a name lookup or an allocation per value.
    static func reading(_ rows: Rows) throws -> [RecordedSegment] {
        let starts = try rows.integers("start_us")
        let durations = try rows.integers("duration_us")
        let numbers = try rows.integers("number")
        let sequences = try rows.integers("epoch")
        let revisions = try rows.integers("revision")
        let formats = try rows.integers("state_id")
        let flags = try rows.integers("flags")
        let stored = try rows.integers("stored_bytes")
        let plain = try rows.integers("plain_bytes")
        let vectors = try rows.bytes("iv")
        return (0..<rows.count).map { row in
            RecordedSegment(
                start: Instant(microseconds: starts[row, default: 0]), duration: durations[row, default: 0],
                number: numbers[row],
                discontinuitySequence: Int32(truncatingIfNeeded: sequences[row, default: 0]),
                revision: Int16(truncatingIfNeeded: revisions[row, default: 0]),
                formatID: Int32(truncatingIfNeeded: formats[row, default: 0]),
                flags: SegmentFlags(rawValue: Int16(truncatingIfNeeded: flags[row, default: 0])),
                storedBytes: stored[row, default: 0], plainBytes: plain[row, default: 0], iv: vectors[row])
        }
    }
}
