/// The sample table of a trun (ISO 14496-12 §8.8.8).
struct SampleRun {
    private let flags: UInt32
    private let count: UInt32
    private let content: ByteCursor

    init(flags: UInt32, count: UInt32, content: ByteCursor) {
        self.flags = flags
        self.count = count
        self.content = content
    }

    /// Bytes of one row: duration, size, flags and offset, each if its flag is set.
    private var rowByteCount: Int {
        [0x100, 0x200, 0x400, 0x800].reduce(0) { $0 + (flags & $1 == 0 ? 0 : 4) }
    }

    /// The sum in the track's timescale; nil when the table is cut off or a duration is missing.
    func duration(default each: UInt32?) -> UInt64? {
        guard count > 0 else { return 0 }
        guard flags & 0x100 != 0 else { return each.map { UInt64($0) * UInt64(count) } }
        guard content.remaining / rowByteCount >= Int(count) else { return nil }
        var rows = content
        var sum: UInt64 = 0
        for _ in 0..<count {
            guard let duration = rows.uint32(), rows.skip(rowByteCount - 4) else { return nil }
            sum += UInt64(duration)
        }
        return sum
    }

    func lastDuration(default each: UInt32?) -> UInt32? {
        guard flags & 0x100 != 0 else { return each }
        guard count > 0, content.remaining / rowByteCount >= Int(count) else { return nil }
        var rows = content
        return rows.skip((Int(count) - 1) * rowByteCount) ? rows.uint32() : nil
    }

    /// The flags of the first row, if rows have them.
    var firstFlags: UInt32? {
        guard flags & 0x400 != 0, count > 0 else { return nil }
        var rows = content
        return rows.skip((flags & 0x100 == 0 ? 0 : 4) + (flags & 0x200 == 0 ? 0 : 4)) ? rows.uint32() : nil
    }
}
