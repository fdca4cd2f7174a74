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
                try await test.catalogue.endRecording(channel: recording.row, at: midnight + at * second)
            }
            #expect(try await spans(test) == [[0, 9]])
            try await test.catalogue.beginRecording(channel: recording.row, at: midnight + 20 * second)
            #expect(try await spans(test) == [[0, 9], [20, nil]])
        }
    }

    @Test("A span that begins again at the same instant is reopened, and none ends before it begins")
    func sameInstant() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.catalogue.beginRecording(channel: recording.row, at: midnight)
            try await test.catalogue.endRecording(channel: recording.row, at: midnight - second)
            #expect(try await spans(test) == [[0, 0]])
            try await test.catalogue.beginRecording(channel: recording.row, at: midnight)
            #expect(try await spans(test) == [[0, nil]])
        }
    }
}
