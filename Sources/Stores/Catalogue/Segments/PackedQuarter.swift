import Timeline

/// The segments of a quarter in one value of bytes.
///
/// A byte for the version of the form, the segments, the segments with better bytes if there are any, and
/// CRC-32 of all that. A segment is a set of bits for the fields that differ from what the segment before it
/// leads to expect, and these fields as numbers of seven bits a byte: four to eight bytes for most segments.
enum PackedQuarter {
    private static let form: UInt8 = 1

    /// Nil if it would exceed `Limits.packedBytes`.
    static func pack(_ record: QuarterRecord) -> [UInt8]? {
        var writer = PackedWriter(form: form, capacity: 64 + 8 * record.segments.count)
        writer.append(record.segments, of: record.quarter)
        writer.append(byte: record.repaired == nil ? 0 : 1)
        if let repaired = record.repaired { writer.append(repaired, of: record.quarter) }
        return writer.packed()
    }

    /// Nil if the bytes are damaged, of another form or of other segments than the version counts.
    static func unpack(_ bytes: [UInt8], of quarter: Quarter, _ version: QuarterVersion) -> QuarterRecord? {
        guard var reader = PackedReader(unpacking: bytes, form: form) else { return nil }
        let segments = reader.segments(of: quarter)
        let repaired = reader.number() == 0 ? nil : reader.segments(of: quarter)
        guard reader.isWhole, segments.count == Int(version.segments),
            repaired == nil || repaired?.count == segments.count
        else { return nil }
        return QuarterRecord(quarter: quarter, version: version, segments: segments, repaired: repaired)
    }
}

/// The fields of a segment that differ from what is expected of it; those of most segments are below 128.
struct PackedFields: OptionSet {
    let rawValue: UInt64

    static let storedBytes = PackedFields(rawValue: 1)
    static let duration = PackedFields(rawValue: 2)
    static let start = PackedFields(rawValue: 4)
    static let number = PackedFields(rawValue: 8)
    static let flags = PackedFields(rawValue: 16)
    static let measuredDuration = PackedFields(rawValue: 32)
    static let plainBytes = PackedFields(rawValue: 64)
    static let iv = PackedFields(rawValue: 128)
    static let discontinuitySequence = PackedFields(rawValue: 256)
    static let revision = PackedFields(rawValue: 512)
    static let formatID = PackedFields(rawValue: 1024)
    static let cueTags = PackedFields(rawValue: 2048)
}

extension RecordedSegment {
    /// Stands before the first segment of a quarter.
    static func before(_ quarter: Quarter) -> RecordedSegment {
        RecordedSegment(
            start: Instant(microseconds: quarter.begin), duration: 0, number: 0, discontinuitySequence: 0,
            formatID: 0, storedBytes: 0, plainBytes: 0)
    }

    /// Becomes the segment that usually follows: it goes on from this one, with the same properties.
    ///
    /// Sums wrap around, so that any values can be packed.
    mutating func expectNext() {
        start = Instant(microseconds: start.microseconds &+ duration)
        if let own = number { number = own &+ 1 }
        if let own = iv { iv = own.counted }
        if measuredDuration != nil { measuredDuration = nil }
        if !cueTags.isEmpty { cueTags = [] }
    }
}

extension [UInt8] {
    /// The number that follows, most significant byte first: initialization vectors often count segments.
    fileprivate var counted: [UInt8] {
        var bytes = self
        for index in bytes.indices.reversed() {
            bytes[index] &+= 1
            if bytes[index] != 0 { break }
        }
        return bytes
    }
}
