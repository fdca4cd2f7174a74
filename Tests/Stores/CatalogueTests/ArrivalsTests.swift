import Testing
import Timeline

@testable import Catalogue

@Suite("Arrivals of segments")
struct ArrivalsTests {
    /// Published segments, each listed this many seconds after its end.
    private func published(
        _ recording: ChannelRecording, _ lags: [Int64], from first: Int64 = 0,
        of rendition: RenditionID = video
    ) -> [DecidedSegment] {
        zip(recording.published(first..<first + Int64(lags.count), of: rendition), lags).map { decided, lag in
            var decided = decided
            decided.fact.arrived = decided.fact.end + lag * second
            return decided
        }
    }

    @Test("Without segments there is no lag and no arrival")
    func nothing() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            #expect(try await test.catalogue.head(of: recording.row).arrivals == Arrivals())
            #expect(try await test.catalogue.recordingSummary(of: recording.row).arrivals == Arrivals())
        }
    }

    @Test(
        "The lag is that of normal operation: a long first playlist, bursts and late segments do not count"
    )
    func lag() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let backlog = (0..<100).map { 31 + Int64(99 - $0) * 4 }
            let burst: [Int64] = [60, 56, 52, 48, 44, 40, 36, 32]
            var segments = published(recording, backlog + [32, 30, 33] + burst)
            var late = DecidedSegment.archived(recording.fact(900, at: second, lasting: second))
            late.fact.arrived = midnight
            segments.append(late)
            _ = try await test.catalogue.commit(recording.batch(segments))
            let newest = Arrivals(lag: 30 * second, newest: midnight + (111 * 4 + 32) * second)
            #expect(try await test.catalogue.head(of: recording.row).arrivals == newest)
            #expect(try await test.catalogue.recordingSummary(of: recording.row).arrivals == newest)
        }
    }

    @Test("A permanent change of the lag is adopted, and renditions that have stopped do not count")
    func change() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let count = Int64(Limits.arrivalSegments)
            let day = day / (4 * second)
            let segments =
                published(recording, [2, 2], of: audio)
                + published(recording, Array(repeating: 5, count: 10), from: day)
                + published(recording, Array(repeating: 40, count: Int(count)), from: day + 10)
            _ = try await test.catalogue.commit(recording.batch(segments))
            #expect(try await test.catalogue.head(of: recording.row).arrivals.lag == 40 * second)
        }
    }

    @Test("The last progress is the newest arrival, or when the last lost segment would have arrived")
    func lastMove() {
        let came = Arrivals(lag: 30 * second, newest: midnight + minute)
        #expect(came.lastMove(watermark: midnight) == midnight + minute)
        #expect(came.lastMove(watermark: midnight + hour) == midnight + hour + 30 * second)
        #expect(Arrivals().lastMove(watermark: midnight) == midnight)
    }
}
