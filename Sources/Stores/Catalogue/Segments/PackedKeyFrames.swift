import Timeline

/// The key frames of the segments of a quarter in one value of bytes.
///
/// A byte for the version of the form, the count of the entries, and CRC-32 of all that. An entry is the time
/// since the one before, the revision of the bytes, and the key frames in their own form after their length.
enum PackedKeyFrames {
    private static let form: UInt8 = 1

    /// Entries are ordered by start; nil if they would exceed `Limits.packedBytes`.
    static func pack(_ entries: [SegmentKeyFrames], of quarter: Quarter) -> [UInt8]? {
        var writer = PackedWriter(form: form, capacity: 64 + 32 * entries.count)
        writer.append(UInt64(entries.count))
        var last = quarter.begin
        for entry in entries {
            writer.append(UInt64(bitPattern: entry.start.microseconds &- last))
            writer.append(UInt64(UInt16(bitPattern: entry.revision)))
            writer.append(entry.keyFrames.packed)
            last = entry.start.microseconds
        }
        return writer.packed()
    }

    /// Nil if the bytes are damaged or of another form.
    static func unpack(_ bytes: [UInt8], of quarter: Quarter) -> QuarterKeyFrames? {
        guard var reader = PackedReader(unpacking: bytes, form: form) else { return nil }
        // Each entry has three bytes at least.
        guard let count = Int(exactly: reader.number()), count <= bytes.count / 3 else { return nil }
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
