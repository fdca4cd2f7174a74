import Postgres
import Testing
import Timeline

@testable import Catalogue

@Suite("Key frames of segments")
struct KeyFramesTests {
    private let evening = midnight + day

    private var quarters: [Quarter] {
        QuarterRange(first: Quarter(rendition: 1, containing: midnight.microseconds), count: 4).quarters
    }

    private func found(_ number: Int64) -> KeyFrames {
        KeyFrames(
            tableByteCount: 376,
            frames: [
                KeyFrame(offset: 376, byteCount: 188 * (1 + Int(number % 9)), milliseconds: 0),
                KeyFrame(offset: 37_600, byteCount: 940, milliseconds: 2000),
            ])
    }

    private func facts(_ recording: ChannelRecording, _ numbers: Range<Int64>) -> [SegmentFact] {
        numbers.map { number in
            var fact = recording.fact(number)
            if number % 5 != 4 { (fact.keyFrames, fact.flags) = (found(number), .hasKeyFrames) }
            return fact
        }
    }

    private func commit(
        _ facts: [SegmentFact], _ recording: ChannelRecording, in test: TestCatalogue,
    ) async throws {
        let decided = facts.map {
            DecidedSegment(fact: $0, number: $0.identity.number, discontinuitySequence: 0)
        }
        _ = try await test.catalogue.commit(recording.batch(decided))
    }

    private func expected(_ facts: [SegmentFact]) -> [SegmentKeyFrames] {
        facts.compactMap { fact in
            fact.keyFrames.map {
                SegmentKeyFrames(start: fact.start, revision: fact.revision, keyFrames: $0)
            }
        }
    }

    @Test("Rows and packed quarters say what was recorded; packed ones need no rows")
    func stored() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let facts = facts(recording, 0..<500)
            try await commit(facts, recording, in: test)
            #expect(try await test.catalogue.keyFrames(of: quarters) == expected(facts))
            #expect(try await test.catalogue.packQuarters(at: evening) == 3)
            #expect(try await test.number("SELECT count(*) FROM packed_key_frames") == 3)
            _ = try await test.pool.query("UPDATE segment SET key_frames = NULL")
            #expect(try await test.catalogue.keyFrames(of: quarters) == expected(facts))
            let second = expected(facts).filter { quarters[1] == Quarter(of: $0) }
            #expect(try await test.catalogue.keyFrames(of: [quarters[1]]) == second)
            #expect(try await test.catalogue.keyFrames(of: []) == [])
        }
    }

    @Test("Better bytes have their own, beside those of the bytes that were published")
    func repaired() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let facts = facts(recording, 0..<3)
            try await commit(facts, recording, in: test)
            try await test.catalogue.packQuarters(at: evening)
            var better = facts[1]
            (better.replaces, better.revision, better.keyFrames) = (0, 1, found(7))
            _ = try await test.catalogue.commit(recording.batch([.archived(better)]))
            let all = expected([facts[0], facts[1], better, facts[2]])
            #expect(try await test.catalogue.keyFrames(of: quarters) == all)
            #expect(try await test.catalogue.packQuarters(at: evening) == 1)
            #expect(try await test.catalogue.keyFrames(of: quarters) == all)
        }
    }

    @Test("They expire with their segments")
    func expired() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let facts = facts(recording, 0..<300)
            try await commit(facts, recording, in: test)
            try await test.catalogue.packQuarters(at: evening)
            try await test.catalogue.expire(
                recording.channel, before: midnight + 16 * minute, graceSeconds: 0)
            let left = expected(facts).filter { $0.start >= midnight + 16 * minute }
            #expect(try await test.catalogue.keyFrames(of: quarters) == left)
            #expect(try await test.number("SELECT count(*) FROM packed_key_frames") == 1)
        }
    }

    @Test("Where an older program packed a quarter, and where bytes are damaged, rows are read")
    func olderProgram() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let facts = facts(recording, 0..<20)
            try await commit(facts, recording, in: test)
            try await test.catalogue.packQuarters(at: evening)
            for change: Statement in [
                "UPDATE packed_key_frames SET packed = set_byte(packed, 0, 9)",
                "UPDATE packed_key_frames SET packed = set_byte(packed, 9, get_byte(packed, 9) # 1)",
                "UPDATE packed_key_frames SET packed = ''",
                "DELETE FROM packed_key_frames",
            ] {
                _ = try await test.pool.query(change)
                #expect(try await test.catalogue.keyFrames(of: quarters) == expected(facts))
            }
        }
    }

    @Test("Any bytes are read without a trap")
    func anyBytes() {
        var chance = SystemRandomNumberGenerator()
        let entries = (0..<9).map { (number: Int64) in
            SegmentKeyFrames(
                start: midnight + number, revision: Int16(number % 2), keyFrames: found(number))
        }
        let packed = PackedKeyFrames.pack(entries, of: quarters[0]) ?? []
        #expect(PackedKeyFrames.unpack(packed, of: quarters[0])?.segments == entries)
        for _ in 0..<2000 {
            var bytes = packed
            bytes[Int.random(in: bytes.indices, using: &chance)] ^= 1 << UInt8.random(in: 0..<8)
            #expect(PackedKeyFrames.unpack(bytes, of: quarters[0]) == nil)
            #expect(
                PackedKeyFrames.unpack(Array(bytes.prefix(.random(in: 0..<bytes.count))), of: quarters[0])
                    == nil)
        }
    }
}

extension Quarter {
    fileprivate init(of entry: SegmentKeyFrames) {
        self.init(rendition: 1, containing: entry.start.microseconds)
    }
}

extension Catalogue {
    /// The key frames in some quarters of one rendition, ordered by start and revision.
    fileprivate func keyFrames(of quarters: [Quarter]) async throws -> [SegmentKeyFrames] {
        try await keyFramesByQuarter(of: quarters).flatMap(\.segments)
    }
}
