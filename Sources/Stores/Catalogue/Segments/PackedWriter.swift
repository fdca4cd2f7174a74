import Compression
import Timeline

/// Writes bytes that `PackedReader` reads: the version of their form, the content, and CRC-32 of both.
struct PackedWriter {
    private(set) var bytes: [UInt8] = []

    init(form: UInt8, capacity: Int) {
        bytes.reserveCapacity(capacity)
        bytes.append(form)
    }

    /// Everything that was written, with its checksum; nil if it exceeds `Limits.packedBytes`.
    func packed() -> [UInt8]? {
        let checksum = CRC32.checksum(bytes)
        let packed = bytes + (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * UInt32($0))) }
        return packed.count <= Limits.packedBytes ? packed : nil
    }

    mutating func append(byte: UInt8) {
        bytes.append(byte)
    }

    /// Appends how many segments there are, and each of them.
    mutating func append(_ segments: [RecordedSegment], of quarter: Quarter) {
        append(UInt64(segments.count))
        var last = RecordedSegment.before(quarter)
        for segment in segments {
            last.expectNext()
            append(segment, expected: last)
            last = segment
        }
    }

    private mutating func append(_ segment: RecordedSegment, expected: RecordedSegment) {
        let fields = segment.fields(unlike: expected)
        append(fields.rawValue)
        if fields.contains(.storedBytes) { append(segment.storedBytes, after: expected.storedBytes) }
        if fields.contains(.duration) { append(segment.duration, after: expected.duration) }
        if fields.contains(.start) {
            append(segment.start.microseconds, after: expected.start.microseconds)
        }
        if fields.contains(.number) {
            append(byte: segment.number == nil ? 0 : 1)
            if let number = segment.number { append(number, after: expected.number ?? 0) }
        }
        if fields.contains(.flags) { append(UInt64(UInt16(bitPattern: segment.flags.rawValue))) }
        if let measured = segment.measuredDuration { append(measured, after: segment.duration) }
        if fields.contains(.plainBytes) { append(segment.plainBytes, after: segment.storedBytes) }
        if fields.contains(.iv) {
            append(byte: segment.iv == nil ? 0 : 1)
            if let iv = segment.iv { append(iv) }
        }
        if fields.contains(.discontinuitySequence) {
            append(Int64(segment.discontinuitySequence), after: Int64(expected.discontinuitySequence))
        }
        if fields.contains(.revision) { append(Int64(segment.revision), after: Int64(expected.revision)) }
        if fields.contains(.formatID) { append(Int64(segment.formatID), after: Int64(expected.formatID)) }
        if fields.contains(.cueTags) {
            append(UInt64(segment.cueTags.count))
            for tag in segment.cueTags { append(Array(tag.utf8)) }
        }
    }

    /// Appends bytes after their count.
    mutating func append(_ value: [UInt8]) {
        append(UInt64(value.count))
        bytes += value
    }

    /// Appends a difference, small ones of either sign with few bytes.
    private mutating func append(_ value: Int64, after expected: Int64) {
        let difference = value &- expected
        append(UInt64(bitPattern: (difference << 1) ^ (difference >> 63)))
    }

    /// Appends seven bits a byte, the lowest first.
    mutating func append(_ value: UInt64) {
        var rest = value
        while rest >= 128 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}

extension RecordedSegment {
    fileprivate func fields(unlike expected: RecordedSegment) -> PackedFields {
        var fields: PackedFields = []
        if storedBytes != expected.storedBytes { fields.insert(.storedBytes) }
        if duration != expected.duration { fields.insert(.duration) }
        if start != expected.start { fields.insert(.start) }
        if number != expected.number { fields.insert(.number) }
        if flags != expected.flags { fields.insert(.flags) }
        if measuredDuration != nil { fields.insert(.measuredDuration) }
        if plainBytes != storedBytes { fields.insert(.plainBytes) }
        if iv != expected.iv { fields.insert(.iv) }
        if discontinuitySequence != expected.discontinuitySequence {
            fields.insert(.discontinuitySequence)
        }
        if revision != expected.revision { fields.insert(.revision) }
        if formatID != expected.formatID { fields.insert(.formatID) }
        if !cueTags.isEmpty { fields.insert(.cueTags) }
        return fields
    }
}
