import Postgres
import Testing
import Timeline

@testable import Catalogue

@Suite("Recording spans")
struct RecordingSpansTests {
    private func spans(_ test: TestCatalogue) async throws -> [[Int64?]] {
        try await test.rows("SELECT begin_us, end_us FROM recording_span ORDER BY 1").map { row in
            row.map { $0.map { ($0 - midnight.microseconds) / second } }
        }
    }

    @Test("An open span continues, ending twice has no effect, and recording can begin again")
    func spans() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            for at in [Int64(0), 5] {
                try await test.catalogue.beginRecording(channel: recording.row, at: midnight + at * second)
            }
            #expect(try await spans(test) == [[0, nil]])
            for at in [Int64(9), 11] {
                try await test.switchOff(recording, at: midnight + at * second)
            }
            #expect(try await spans(test) == [[0, 9]])
            try await test.catalogue.beginRecording(channel: recording.row, at: midnight + 20 * second)
            #expect(try await spans(test) == [[0, 9], [20, nil]])
        }
    }

    /// Twenty seconds of a channel that is set to record from midnight on, listed `lag` seconds late.
    private func recorded(_ test: TestCatalogue, lag: Int64 = 0) async throws -> ChannelRecording {
        let recording = try await ChannelRecording(in: test)
        try await test.catalogue.beginRecording(channel: recording.row, at: midnight)
        let segments = recording.published(0..<5).map { decided in
            var decided = decided
            decided.fact.arrived = decided.fact.end + lag * second
            return decided
        }
        _ = try await test.catalogue.commit(recording.batch(segments))
        return recording
    }

    @Test(
        "A span ends at the live edge while that moves, else with the gap that has grown since, and never ahead",
        arguments: [(0, 26, 20), (5, 33, 20), (0, 40, 40), (5, 60, 55), (0, 10, 10)]
            as [(Int64, Int64, Int64)])
    func liveEdge(lag: Int64, now: Int64, end: Int64) async throws {
        try await withCatalogue { test in
            let recording = try await recorded(test, lag: lag)
            try await test.switchOff(recording, at: midnight + now * second)
            #expect(try await spans(test) == [[0, end]])
        }
    }

    @Test("A span of a channel that is set to record stays open until it is deleted or set not to record")
    func ofOthers() async throws {
        try await withCatalogue { test in
            let recording = try await recorded(test)
            try await test.catalogue.endRecording(channel: recording.row, at: midnight + 26 * second)
            #expect(try await spans(test) == [[0, nil]])
            try await test.catalogue.delete(recording.channel.id)
            try await test.catalogue.endRecording(channel: recording.row, at: midnight + 26 * second)
            #expect(try await spans(test) == [[0, 20]])
        }
    }

    @Test("A channel without an open span costs one statement")
    func nothingOpen() async throws {
        try await withCatalogue { test in
            let recording = try await recorded(test)
            try await test.switchOff(recording, at: midnight + 26 * second)
            let before = test.pool.statementCount
            try await test.catalogue.endRecording(channel: recording.row, at: midnight + 26 * second)
            #expect(test.pool.statementCount == before + 1)
        }
    }

    @Test("Nothing is a gap from the live edge at the end of recording until it begins again")
    func switchedOff() async throws {
        try await withCatalogue { test in
            let recording = try await recorded(test)
            try await test.switchOff(recording, at: midnight + 26 * second)
            func gaps(at now: Int64) async throws -> [TimeWindow] {
                try await test.catalogue.timeline(
                    of: recording.channel, in: window(0, hour), now: midnight + now * second
                ).gaps.map(\.window)
            }
            #expect(try await gaps(at: 90).isEmpty)
            try await test.catalogue.beginRecording(channel: recording.row, at: midnight + 100 * second)
            try await test.publish(26..<30, on: recording)
            #expect(try await gaps(at: 121) == [window(100 * second, 104 * second)])
        }
    }

    @Test("A span that begins again at the same instant is reopened, and none ends before it begins")
    func sameInstant() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.catalogue.beginRecording(channel: recording.row, at: midnight)
            try await test.switchOff(recording, at: midnight - second)
            #expect(try await spans(test) == [[0, 0]])
            try await test.catalogue.beginRecording(channel: recording.row, at: midnight)
            #expect(try await spans(test) == [[0, nil]])
        }
    }
}
