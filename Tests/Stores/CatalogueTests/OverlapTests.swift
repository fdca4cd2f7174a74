import Postgres
import Testing
import Timeline

@testable import Catalogue

@Suite("Rows that overlap")
struct OverlapTests {
    private func row(
        _ begin: Int64, _ end: Int64, isPublished: Bool = false, isNew: Bool = false,
    ) -> Overlap.Row {
        Overlap.Row(
            start: midnight + begin, duration: end - begin, isPublished: isPublished, isNew: isNew)
    }

    @Test("Rows that touch stay as they are")
    func touching() {
        let rows = [row(0, 10), row(10, 20, isNew: true), row(25, 30, isPublished: true)]
        #expect(Overlap.resolve(rows) == Overlap.Resolution())
    }

    @Test("A row ends where the next one begins, whichever of them is published", arguments: [true, false])
    func shortened(isPublished: Bool) {
        let rows = [row(0, 12, isPublished: isPublished), row(8, 20, isPublished: !isPublished)]
        let resolution = Overlap.resolve(rows)
        #expect(resolution.durations == [0: 8])
        #expect(resolution.removed.isEmpty)
    }

    @Test("What lies over others by more than half gives way: first the new, never the published")
    func removed() {
        #expect(Overlap.resolve([row(0, 10), row(4, 14, isNew: true)]).removed == [1])
        #expect(Overlap.resolve([row(0, 10, isNew: true), row(4, 14)]).removed == [0])
        #expect(
            Overlap.resolve([row(0, 10), row(4, 14, isPublished: true, isNew: true)]).removed == [0])
        #expect(Overlap.resolve([row(0, 10, isPublished: true), row(4, 14)]).removed == [1])
        #expect(Overlap.resolve([row(0, 10), row(2, 6, isNew: true)]).removed == [1])
        // Short ones take no more than half of a long one.
        #expect(Overlap.resolve([row(0, 10, isPublished: true), row(4, 30)]).removed == [1])
    }

    @Test("Rows that overlap and hold the same bytes are one segment, however little they share")
    func sameBytes() {
        func row(_ begin: Int64, _ end: Int64, _ digest: [UInt8], isNew: Bool = false) -> Overlap.Row {
            Overlap.Row(
                start: midnight + begin, duration: end - begin, isPublished: false, isNew: isNew,
                digest: digest)
        }
        #expect(Overlap.resolve([row(0, 12, [7], isNew: true), row(10, 20, [7])]).removed == [0])
        #expect(Overlap.resolve([row(0, 12, [7]), row(10, 20, [7], isNew: true)]).removed == [1])
        #expect(Overlap.resolve([row(0, 12, [7]), row(10, 20, [8], isNew: true)]).durations == [0: 10])
        // Nothing is known of the bytes: they are not the same.
        #expect(Overlap.resolve([row(0, 12, []), row(10, 20, [], isNew: true)]).durations == [0: 10])
        // The same picture may stand for long, segment behind segment.
        #expect(Overlap.resolve([row(0, 10, [7]), row(10, 20, [7], isNew: true)]) == .init())
    }

    @Test("What was shortened for a row that gives way lasts as long as before")
    func restored() {
        let rows = [row(0, 10), row(8, 20, isNew: true), row(11, 30, isPublished: true)]
        let resolution = Overlap.resolve(rows)
        #expect(resolution.removed == [1])
        #expect(resolution.durations.isEmpty)
    }

    @Test("Whatever overlaps, in the end nothing does but what is published, which all stays")
    func random() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var begin: Int64 = 0
            var end: Int64 = 0
            let rows = (0..<12).map { _ in
                let isPublished = Bool.random(using: &generator)
                begin = max(
                    begin + Int64.random(in: 1...8, using: &generator), isPublished ? end : 0)
                let last = begin + Int64.random(in: 1...20, using: &generator)
                if isPublished { end = last }
                return row(begin, last, isPublished: isPublished, isNew: Bool.random(using: &generator))
            }
            let resolution = Overlap.resolve(rows)
            let kept = rows.indices.filter { !resolution.removed.contains($0) }
            #expect(resolution.removed.allSatisfy { !rows[$0].isPublished })
            #expect(resolution.durations.values.allSatisfy { $0 > 0 })
            for (index, next) in zip(kept, kept.dropFirst()) {
                let last = rows[index].start + (resolution.durations[index] ?? rows[index].duration)
                #expect(last <= rows[next].start)
            }
        }
    }

    @Test("A published row says what it has said, others what their media play")
    func said() {
        let (published, late) = (row(0, 4 * second, isPublished: true), row(0, 4 * second))
        #expect(Overlap.statedDuration(of: published, measured: nil, lasting: 1) == 4 * second)
        #expect(Overlap.statedDuration(of: late, measured: 3 * second, lasting: 3 * second) == nil)
        #expect(Overlap.statedDuration(of: late, measured: 4 * second, lasting: 3 * second) == 4 * second)
        #expect(Overlap.statedDuration(of: late, measured: nil, lasting: 3 * second) == 4 * second)
    }
}

/// A former owner has placed a few segments a little otherwise than the present one.
@Suite("Segments of two owners that overlap")
struct OverlappingOwnersTests {
    /// The times in the catalogue after these commits, as begins and ends after midnight, seconds.
    private func times(_ test: TestCatalogue, _ recording: ChannelRecording) async throws -> [[Double]] {
        try await test.held(recording).map {
            [Double($0.start - midnight) / 1e6, Double($0.start + $0.duration - midnight) / 1e6]
        }
    }

    private func extinf(_ test: TestCatalogue) async throws -> [Int64] {
        let range = QuarterRange(first: Quarter(rendition: 1, containing: midnight.microseconds), count: 1)
        return try await test.catalogue.quarters(range)[0].segments.map(\.mediaDuration)
    }

    @Test("A late segment ends where a published one begins, and EXTINF says how long its media are")
    func lateInFront() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(2..<4, on: recording)
            var late = recording.fact(1, run: 9, at: 4_300_000)
            late.measuredDuration = 4 * second
            for _ in 0..<2 {
                _ = try await test.catalogue.commit(recording.batch([.archived(late)]))
                #expect(try await times(test, recording) == [[4.3, 8], [8, 12], [12, 16]])
                #expect(try await extinf(test) == Array(repeating: 4 * second, count: 3))
            }
            #expect(try await test.number("SELECT held_us FROM block") == 11_700_000)
        }
    }

    @Test("A published segment ends where a late one begins, and its EXTINF stays")
    func lateBehind() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<2, on: recording)
            let late = recording.fact(2, run: 9, at: 7_600_000)
            _ = try await test.catalogue.commit(recording.batch([.archived(late)]))
            #expect(try await times(test, recording) == [[0, 4], [4, 7.6], [7.6, 11.6]])
            #expect(try await extinf(test) == Array(repeating: 4 * second, count: 3))
            #expect(try await test.held(recording).map(\.number) == [0, 1, nil])
        }
    }

    @Test("A late segment that lies over published ones is held already, and can still be published")
    func duplicate() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<3, on: recording)
            let late = recording.fact(30, run: 9, at: 5_500_000)
            for _ in 0..<2 {
                _ = try await test.catalogue.commit(recording.batch([.archived(late)]))
                #expect(try await times(test, recording) == [[0, 4], [4, 8], [8, 12]])
            }
            #expect(try await test.number("SELECT segments::bigint FROM block") == 3)
            var fact = late
            fact.start = midnight + 12 * second
            let published = DecidedSegment(fact: fact, number: 3, discontinuitySequence: 0)
            #expect(try await test.catalogue.commit(recording.batch([published])))
            #expect(try await test.held(recording).map(\.number) == [0, 1, 2, 3])
        }
    }

    @Test("What was archived before gives way to what is published later")
    func archivedBefore() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<1, on: recording)
            let early = [recording.fact(1, run: 9, at: 4_200_000), recording.fact(2, run: 9, at: 8_200_000)]
            _ = try await test.catalogue.commit(recording.batch(early.map { .archived($0) }))
            var next = recording.published(1..<2)
            next[0].fact.start = midnight + 9_300_000
            #expect(try await test.catalogue.commit(recording.batch(next)))
            #expect(try await times(test, recording) == [[0, 4], [4.2, 8.2], [9.3, 13.3]])
            #expect(try await test.held(recording).map(\.number) == [0, nil, 1])
        }
    }
}
