import Compression
import Timeline

/// The key frames of the segments of a quarter in one value of bytes.
///
/// A byte for the version of the form, the count of the entries, and CRC-32 of all that. An entry is the time
/// since the one before, the revision of the bytes, and the key frames in their own form after their length.
enum PackedKeyFrames {
    /// The first byte; bytes that begin otherwise are of a later version of the program.
    static let form: UInt8 = 1
    private static let checksumBytes = 4

    /// Entries are ordered by start; nil if they would exceed `Limits.packedBytes`.
    static func pack(_ entries: [SegmentKeyFrames], of quarter: Quarter) -> [UInt8]? {
        var writer = PackedWriter(capacity: 64 + 32 * entries.count)
        writer.append(byte: form)
        writer.append(UInt64(entries.count))
        var last = quarter.begin
        for entry in entries {
            writer.append(UInt64(bitPattern: entry.start.microseconds &- last))
            writer.append(UInt64(UInt16(bitPattern: entry.revision)))
            writer.append(entry.keyFrames.packed)
            last = entry.start.microseconds
        }
        var bytes = writer.bytes
        let checksum = CRC32.checksum(bytes)
        for shift in stride(from: 0, to: 32, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: checksum >> UInt32(shift)))
        }
        return bytes.count <= Limits.packedBytes ? bytes : nil
    }

    /// Nil if the bytes are damaged or of another form.
    static func unpack(_ bytes: [UInt8], of quarter: Quarter) -> QuarterKeyFrames? {
        let end = bytes.count - checksumBytes
        guard end > 1, bytes[0] == form else { return nil }
        var checksum: UInt32 = 0
        for index in (0..<checksumBytes).reversed() { checksum = checksum << 8 | UInt32(bytes[end + index]) }
        guard CRC32.checksum(Array(bytes[..<end])) == checksum else { return nil }
        var reader = PackedReader(Array(bytes[1..<end]))
        // Each entry has three bytes at least.
        guard let count = Int(exactly: reader.number()), count <= end / 3 else { return nil }
        var found = QuarterKeyFrames(capacity: count)
        var start = quarter.begin
        for _ in 0..<count {
            start = start &+ Int64(bitPattern: reader.number())
            let revision = Int16(bitPattern: UInt16(truncatingIfNeeded: reader.number()))
            guard found.append(Instant(microseconds: start), revision, packed: reader.slice()) else {
                return nil
            }
        }
        return reader.isWhole ? found : nil
    }
}
