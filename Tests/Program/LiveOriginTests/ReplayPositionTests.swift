import Foundation
import HTTP
import Synchronization
import Testing

@testable import LiveOrigin

@Suite("The endless repetition of a minute")
struct ReplayPositionTests {
    private func minute() -> EncodedMinute {
        let segments = (0..<2).map {
            EncodedMinute.Segment(
                durationSeconds: 4, startSeconds: Double($0) * 4, bytes: SharedBytes(packet()))
        }
        let track = EncodedMinute.Track(
            id: "v0", initialization: nil, segments: segments,
            shift: .init(ticks: 720_000, counters: [0x100: 2]),
            form: .transportStream)
        return EncodedMinute(tracks: [track], segmentCount: 2, segmentSeconds: 4)
    }

    @Test("A segment is due when it has ended, one after the other")
    func due() {
        var position = ReplayPosition(minute: minute(), anchor: 100)
        #expect(position.due(at: 103.9).isEmpty)
        #expect(position.due(at: 112.5).map(\.startSeconds) == [100])
        #expect(position.due(at: 112.5).map(\.startSeconds) == [104])
        #expect(position.due(at: 112.5).map(\.startSeconds) == [108])
        #expect(position.due(at: 112.5).isEmpty)
    }

    @Test(
        "Each repetition continues; without continuity it begins with a discontinuity",
        arguments: [true, false])
    func loops(isContinuous: Bool) {
        var position = ReplayPosition(minute: minute(), anchor: 0)
        position.isContinuous = isContinuous
        let segments = (0..<5).flatMap { _ in position.due(at: 100) }
        #expect(
            segments.map { $0.media.shift?.ticks }
                == (isContinuous ? [0, 0, 720_000, 720_000, 1_440_000] : [nil, nil, nil, nil, nil]))
        #expect(
            segments.map(\.isDiscontinuity)
                == (isContinuous ? [false, false, false, false, false] : [false, false, true, false, true]))
    }

    @Test("A restart resets the timestamps and does not change the dates")
    func restart() {
        var position = ReplayPosition(minute: minute(), anchor: 0)
        for _ in 0..<3 { _ = position.due(at: 100) }
        position.restart()
        let next = position.due(at: 100)
        #expect(next.map(\.startSeconds) == [12])
        #expect(next.map { $0.media.shift?.ticks } == [0])
    }

    @Test("A stall and an end stay in force, and a restart follows the end")
    func publisher() throws {
        let bench = try OriginBench()
        var publisher = ReplayPublisher(
            channel: bench.channel, position: ReplayPosition(minute: minute(), anchor: 0))
        func listed() -> [Int] {
            bench.channel.state.withLock { $0.renditions["v0"]?.listings.map(\.number) ?? [] }
        }
        try publisher.step(now: 8)
        #expect(listed() == [0, 1])
        bench.channel.state.withLock { $0.apply(.stall(seconds: 6), now: 8) }
        try publisher.step(now: 13)
        #expect(listed() == [0, 1])
        try publisher.step(now: 16)
        #expect(listed() == [0, 1, 2, 3])
        bench.channel.state.withLock { $0.apply(.end(seconds: 10, .init()), now: 16) }
        try publisher.step(now: 20)
        #expect(bench.channel.state.withLock { $0.playlist(of: "v0")?.hasEnded } == true)
        try publisher.step(now: 27)
        try publisher.step(now: 28)
        #expect(listed() == [0])
        #expect(try bench.ledger().last?.programDateTime == "1970-01-01T00:00:24.000Z")
    }
}
