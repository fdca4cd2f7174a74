import Compression
import Timeline

/// Reads what `PackedWriter` has written; any bytes are read without a trap.
struct PackedReader {
    private let bytes: [UInt8]
    private var position = 1
    private var isDamaged = false

    /// The content of packed bytes; nil if they are damaged, or have another form, as a later version writes.
    init?(unpacking packed: [UInt8], form: UInt8) {
        guard packed.count > 5, packed[0] == form else { return nil }
        bytes = Array(packed.dropLast(4))
        let checksum = packed.suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard CRC32.checksum(bytes) == checksum else { return nil }
    }

    /// Whether everything could be read, and nothing is left.
    var isWhole: Bool { !isDamaged && position == bytes.count }

    mutating func segments(of quarter: Quarter) -> [RecordedSegment] {
        // Each segment has a byte at least.
        guard let count = Int(exactly: number()), count <= bytes.count - position else {
            isDamaged = true
            return []
        }
        var segments: [RecordedSegment] = []
        segments.reserveCapacity(count)
        var next = RecordedSegment.before(quarter)
        for _ in 0..<count {
            next.expectNext()
            read(&next)
            if isDamaged { return [] }
            segments.append(next)
        }
        return segments
    }

    /// Sets the fields that differ from what is expected.
    @inline(__always)
    private mutating func read(_ segment: inout RecordedSegment) {
        let fields = PackedFields(rawValue: number())
        if fields.contains(.storedBytes) { segment.storedBytes = integer(after: segment.storedBytes) }
        if fields.contains(.duration) { segment.duration = integer(after: segment.duration) }
        if fields.contains(.start) {
            segment.start = Instant(microseconds: integer(after: segment.start.microseconds))
        }
        if fields.contains(.number) {
            segment.number = number() == 0 ? nil : integer(after: segment.number ?? 0)
        }
        if fields.contains(.flags) {
            segment.flags = SegmentFlags(rawValue: Int16(bitPattern: narrow(Int64(clamping: number()))))
        }
        if fields.contains(.measuredDuration) { segment.measuredDuration = integer(after: segment.duration) }
        segment.plainBytes =
            fields.contains(.plainBytes) ? integer(after: segment.storedBytes) : segment.storedBytes
        if fields.rawValue >= PackedFields.iv.rawValue { readRare(fields, &segment) }
    }

    @inline(never)
    private mutating func readRare(_ fields: PackedFields, _ segment: inout RecordedSegment) {
        if fields.contains(.iv) { segment.iv = number() == 0 ? nil : value() }
        if fields.contains(.discontinuitySequence) {
            segment.discontinuitySequence = narrow(integer(after: Int64(segment.discontinuitySequence)))
        }
        if fields.contains(.revision) {
            segment.revision = narrow(integer(after: Int64(segment.revision)))
        }
        if fields.contains(.formatID) { segment.formatID = narrow(integer(after: Int64(segment.formatID))) }
        guard fields.contains(.cueTags) else { return }
        let count = number()
        segment.cueTags = []
        for _ in 0..<count {
            guard !isDamaged, let tag = String(validating: value(), as: UTF8.self) else {
                isDamaged = true
                return
            }
            segment.cueTags.append(tag)
        }
    }

    /// Bytes after their count.
    mutating func value() -> [UInt8] { Array(slice()) }

    /// Bytes after their count, which are not copied.
    mutating func slice() -> ArraySlice<UInt8> {
        guard let count = Int(exactly: number()), count <= bytes.count - position else {
            isDamaged = true
            return []
        }
        defer { position += count }
        return bytes[position..<(position + count)]
    }

    private mutating func narrow<Value: FixedWidthInteger>(_ value: Int64) -> Value {
        if let exact = Value(exactly: value) { return exact }
        isDamaged = true
        return 0
    }

    @inline(__always)
    private mutating func integer(after expected: Int64) -> Int64 {
        let value = number()
        return expected &+ (Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1))
    }

    /// A number of seven bits a byte; 0 if there is none.
    @inline(__always)
    mutating func number() -> UInt64 {
        guard position < bytes.count else {
            isDamaged = true
            return 0
        }
        let first = bytes[position]
        position += 1
        return first < 128 ? UInt64(first) : longNumber(UInt64(first & 127))
    }

    private mutating func longNumber(_ first: UInt64) -> UInt64 {
        var (value, shift) = (first, UInt64(7))
        while position < bytes.count, shift < 64 {
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 127) << shift
            if byte < 128 { return value }
            shift += 7
        }
        isDamaged = true
        return 0
    }
}
