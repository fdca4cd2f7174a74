import TestSupport
import Testing
import Timeline

@testable import Catalogue

@Suite("Packed quarters")
struct PackedQuarterTests {
    private static let quarter = Quarter(rendition: 1, containing: midnight.microseconds)

    private func version(_ segments: Int) -> QuarterVersion {
        QuarterVersion(revision: 1, begin: 0, end: 0, segments: Int32(segments))
    }

    private func unpacked(_ record: QuarterRecord, _ bytes: [UInt8]) -> QuarterRecord? {
        PackedQuarter.unpack(bytes, of: record.quarter, version(record.segments.count))
    }

    @Test("What is packed is read as it was, whatever the segments are", arguments: 0..<400 as Range<UInt64>)
    func inverse(seed: UInt64) throws {
        var chance = SeededGenerator(seed: seed)
        let record = QuarterRecord.random(using: &chance)
        let bytes = try #require(PackedQuarter.pack(record))
        let read = try #require(unpacked(record, bytes))
        #expect(read.segments == record.segments)
        #expect(read.repaired == record.repaired)
        #expect(read.version == version(record.segments.count) && read.quarter == record.quarter)
    }

    @Test("A segment of a usual quarter takes few bytes, also encrypted ones")
    func size() throws {
        var (segments, encrypted): ([RecordedSegment], [RecordedSegment]) = ([], [])
        for index in 0..<225 {
            let bytes = 1_000_000 + Int64(index * 7919 % 60_000)
            var segment = RecordedSegment(
                start: midnight + Int64(index) * 4 * second, duration: 4 * second,
                number: Int64(index) + 70_000,
                discontinuitySequence: 3, formatID: 12, flags: .independent, storedBytes: bytes,
                plainBytes: bytes)
            segments.append(segment)
            segment.iv = Array(repeating: 0, count: 14) + [1, UInt8(index)]
            segment.plainBytes -= Int64(index % 16)
            encrypted.append(segment)
        }
        for (list, most) in [(segments, 5), (encrypted, 7)] {
            let record = QuarterRecord(quarter: Self.quarter, version: nil, segments: list)
            let bytes = try #require(PackedQuarter.pack(record))
            #expect(bytes.count <= 225 * most, "\(bytes.count)")
            #expect(unpacked(record, bytes)?.segments == list)
        }
    }

    @Test("Damaged, cut and unknown bytes, and those of another count, are not read")
    func damaged() throws {
        var chance = SeededGenerator(seed: 5)
        let record = QuarterRecord.random(using: &chance)
        let bytes = try #require(PackedQuarter.pack(record))
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= UInt8(1 << Int.random(in: 0..<8, using: &chance))
            #expect(unpacked(record, damaged) == nil)
            #expect(unpacked(record, Array(bytes[..<index])) == nil)
        }
        let count = record.segments.count
        #expect(PackedQuarter.unpack(bytes, of: record.quarter, version(count + 1)) == nil)
    }

    @Test("Bytes with a checksum of their own are read without a trap, whatever they are")
    func hostile() throws {
        var chance = SeededGenerator(seed: 6)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 1..<40, using: &chance)).map { _ in
                Bool.random(using: &chance)
                    ? UInt8.random(in: 0...4, using: &chance) : .random(in: 0...255, using: &chance)
            }
            var writer = PackedWriter(form: 1, capacity: 0)
            for byte in bytes { writer.append(byte: byte) }
            var reader = try #require(PackedReader(unpacking: writer.packed() ?? [], form: 1))
            let segments = reader.segments(of: Self.quarter)
            #expect(segments.count <= bytes.count)
        }
    }

    @Test("A quarter with too many bytes is not packed")
    func limit() {
        var segment = RecordedSegment(
            start: midnight, duration: second, number: nil, discontinuitySequence: 0, formatID: 1,
            storedBytes: 1, plainBytes: 1)
        segment.cueTags = [String(repeating: "x", count: Limits.packedBytes)]
        let record = QuarterRecord(quarter: Self.quarter, version: nil, segments: [segment])
        #expect(PackedQuarter.pack(record) == nil)
    }
}

extension QuarterRecord {
    /// Any segments: most follow each other, some have any values at all.
    fileprivate static func random(using chance: inout SeededGenerator) -> QuarterRecord {
        let quarter = Quarter(rendition: 1, containing: .random(in: -.max / 2 ... .max / 2, using: &chance))
        var (segments, last) = ([RecordedSegment](), RecordedSegment.random(using: &chance))
        for _ in 0..<Int.random(in: 0..<60, using: &chance) {
            last =
                Int.random(in: 0..<4, using: &chance) == 0
                ? .random(using: &chance) : .following(last, using: &chance)
            segments.append(last)
        }
        var record = QuarterRecord(quarter: quarter, version: nil, segments: segments)
        if Bool.random(using: &chance) {
            record.repaired = segments.map {
                Bool.random(using: &chance) ? $0 : .random(using: &chance)
            }
        }
        return record
    }
}

extension RecordedSegment {
    fileprivate static func random(using chance: inout SeededGenerator) -> RecordedSegment {
        func any<Value: FixedWidthInteger>() -> Value {
            let isSmall = Bool.random(using: &chance)
            return isSmall ? .random(in: 0...9, using: &chance) : .random(in: .min ... .max, using: &chance)
        }
        var segment = RecordedSegment(
            start: Instant(microseconds: any()), duration: any(),
            number: Bool.random(using: &chance) ? any() : nil,
            discontinuitySequence: any(), revision: any(), formatID: any(),
            flags: SegmentFlags(rawValue: any()),
            storedBytes: any(), plainBytes: any())
        if Bool.random(using: &chance) {
            segment.iv = (0..<Int.random(in: 0...17, using: &chance)).map { _ in any() }
        }
        if Bool.random(using: &chance) {
            segment.measuredDuration = .random(in: 1...600_000_000, using: &chance)
        }
        let tags = ["", "#EXT-X-CUE-OUT:30", "#EXT-X-CUE-IN", "#EXT-X-ASSET:CAID=0x0é", "\u{1F4FA}"]
        segment.cueTags = (0..<Int.random(in: 0...2, using: &chance)).map { _ in
            tags[Int.random(in: tags.indices, using: &chance)]
        }
        return segment
    }

    fileprivate static func following(
        _ last: RecordedSegment, using chance: inout SeededGenerator,
    ) -> RecordedSegment {
        var next = last
        next.start = Instant(microseconds: last.start.microseconds &+ last.duration)
        next.number = last.number.map { $0 &+ 1 }
        next.storedBytes = last.storedBytes &+ .random(in: -5000...5000, using: &chance)
        next.plainBytes = next.storedBytes
        return next
    }
}
