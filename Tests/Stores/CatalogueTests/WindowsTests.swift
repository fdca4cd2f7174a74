import Testing
import Timeline

@testable import Catalogue

@Suite("Windows")
struct WindowsTests {
    @Test(
        "A window holds what overlaps it, half open at both ends",
        arguments: [
            (0, 12_000_000, [0, 1, 2]), (4_000_000, 8_000_000, [1]), (3_999_999, 8_000_001, [0, 1, 2]),
            (5_000_000, 5_000_001, [1]), (12_000_000, 99_000_000, []), (-9_000_000, 0, []),
            (4_000_000, 4_000_000, []),
        ] as [(Int64, Int64, [Int64])])
    func overlap(begin: Int64, end: Int64, expected: [Int64]) async throws {
        try await withCatalogue { test in
            let tape = try await Tape(in: test)
            try await test.publish(0..<3, on: tape)
            #expect(try await test.held(tape, in: window(begin, end)).map(\.number) == expected)
        }
    }

    @Test("The longest segment that is believed is found by its last microsecond, across midnight")
    func longest() async throws {
        try await withCatalogue { test in
            let tape = try await Tape(in: test)
            let fact = tape.fact(0, at: -599 * second, lasting: 600 * second)
            _ = try await test.catalogue.remember(tape.batch([.archived(fact)]))
            #expect(try await test.held(tape, in: window(second - 1, minute)).count == 1)
            #expect(try await test.held(tape, in: window(second, minute)).isEmpty)
        }
    }

    @Test(
        "The published view has what bears a number and ends at or before the watermark; the archive has all")
    func views() async throws {
        try await withCatalogue { test in
            let tape = try await Tape(in: test)
            let segments = tape.published(0..<2) + [.archived(tape.fact(2))] + tape.published(3..<6)
            _ = try await test.catalogue.remember(tape.batch(segments, watermark: 20 * second))
            #expect(try await test.held(tape, view: .archive).map(\.number) == [0, 1, nil, 3, 4, 5])
            #expect(try await test.held(tape, view: .published).map(\.number) == [0, 1, 3, 4])
        }
    }

    @Test("Every rendition is there in order, with rows only where they are wanted, and the states they name")
    func renditions() async throws {
        try await withCatalogue { test in
            let tape = try await Tape(in: test)
            let sound = MediaState(container: .aac, tracks: "audio:aac")
            let segments = [
                DecidedSegment.archived(tape.fact(0, of: audio, state: sound)), .archived(tape.fact(0)),
            ]
            _ = try await test.catalogue.remember(tape.batch(segments))
            let all = try await test.catalogue.record(of: tape.row, in: window(0, minute), view: .archive)
            #expect(all.renditions.map(\.id) == [video, audio])
            #expect(all.renditions.map(\.segments.count) == [1, 1])
            #expect(Set(all.states.values) == [.plain, sound])
            let one = try await test.catalogue.record(
                of: tape.row, in: window(0, minute), view: .archive, renditions: [audio])
            #expect(one.renditions.map(\.segments.count) == [0, 1])
            #expect(Array(one.states.values) == [sound])
            let nothing = try await test.catalogue.record(of: tape.row, in: window(hour, day), view: .archive)
            #expect(nothing.renditions.map(\.segments.count) == [0, 0] && nothing.states.isEmpty)
        }
    }

    @Test("What begins before the cut is not there, whatever the window, and the line says where the cut is")
    func forgotten() async throws {
        try await withCatalogue { test in
            let tape = try await Tape(in: test)
            try await test.publish(0..<4, on: tape)
            try await test.catalogue.forget(tape.channel, before: midnight + 5 * second, graceSeconds: 0)
            #expect(try await test.starts(tape) == [8 * second, 12 * second])
            let record = try await test.catalogue.record(
                of: tape.row, in: window(0, minute), view: .published)
            #expect(record.line.forgotten == midnight + 5 * second)
        }
    }

    @Test("A window at the end of time neither traps nor fails")
    func extremes() async throws {
        try await withCatalogue { test in
            let tape = try await Tape(in: test)
            try await test.publish(0..<1, on: tape)
            let all = TimeWindow(begin: Instant(microseconds: .min), end: Instant(microseconds: .max))
            #expect(try await test.held(tape, in: all).count == 1)
            #expect(try await test.catalogue.timeline(of: tape.channel, in: all).spans.count == 1)
            #expect(try await test.catalogue.available(of: tape.row, near: all).count == 1)
            let last = TimeWindow(begin: Instant(microseconds: .max), end: Instant(microseconds: .max))
            #expect(try await test.catalogue.available(of: tape.row, near: last).count == 1)
        }
    }
}
