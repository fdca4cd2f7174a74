import Catalogue
import HLS
import Testing
import Timeline

@testable import Recorder

/// A process begins while a source stands still, or has stood still: what it lists is older than it seems.
@Suite("Segments without dates that arrive late after a start")
struct LateStartTests {
    private struct Follow {
        var probes: Bool
        var segment: ListedSegment?
        var progress: RenditionProgress
    }

    /// Ten segments of six seconds are held, the last of them until 1060; the playlist that arrives at an
    /// instant lists three from a number on.
    private func follow(
        _ number: Int, arrivingAt time: Double, timestamp: Double?, held: Bool = true, isDated: Bool = false,
    ) throws -> Follow {
        let known = (0..<10).map { place in
            var segment = KnownSegment(
                run: 7, number: Int64(place), start: at(1000 + Double(place) * 6), duration: 6 * seconds,
                isLost: false, digest: [UInt8(place)])
            segment.firstTimestamp = held ? Int64(50 + place * 6) * 90_000 : nil
            return segment
        }
        var progress = RenditionProgress(
            resuming: RenditionHead(
                description: RenditionDescription(id: video(0)), nextNumber: 10, known: known),
            choice: .auto)
        let playlist =
            isDated
            ? list(number...(number + 2), date: { 1000 + Double($0) * 6 }) : list(number...(number + 2))
        let arrival = arrived(time)
        let missing = Int64(number - 10)
        let finding = progress.findStep(
            in: playlist, from: 0, missing: missing, at: arrival, shared: [:])
        if finding == .probes(index: 0) {
            let isJudged = progress.judgeStep(
                before: Int64(number), timestamp: timestamp.map { Int64($0 * 90_000) })
            let again = progress.findStep(in: playlist, from: 0, missing: missing, at: arrival, shared: [:])
            #expect(isJudged && again == .none)
        }
        let segments = progress.list(
            playlist, from: 0, opensHole: missing > 0, cause: missing > 0 ? .hole : nil,
            hole: .recorderDown, arrival: arrival, shared: [:])
        return Follow(probes: finding == .probes(index: 0), segment: segments.first, progress: progress)
    }

    @Test("lie where their media are, next to what is held or behind a hole")
    func media() throws {
        for (number, timestamp, start) in [(10, 110.0, 1060.0), (13, 128.5, 1078.5)] {
            let follow = try follow(number, arrivingAt: 1220, timestamp: timestamp)
            #expect(follow.probes)
            #expect(follow.segment?.placed.start == at(start))
            #expect(follow.segment?.hole == (number > 10 ? .recorderDown : nil))
        }
    }

    @Test(
        "behind missing numbers lie where those lead to, within a segment of where arrival says",
        arguments: [(1258, 1240), (1262, 1240), (1254, 1240), (1268, 1244), (1245, 1233), (1290, 1272)])
    func counted(arrival: Double, start: Double) throws {
        #expect(try follow(40, arrivingAt: arrival, timestamp: nil).segment?.placed.start == at(start))
    }

    @Test("behind missing numbers lie by arrival where nothing tells how long segments are")
    func uncounted() throws {
        let follow = try follow(40, arrivingAt: 1262, timestamp: nil, held: false)
        #expect(follow.segment?.placed.start == at(1244))
    }

    @Test("are not asked where a source counts by milliseconds since 1970 from now on")
    func hugeNumbers() throws {
        let follow = try follow(1_800_000_000_000, arrivingAt: 1220, timestamp: nil)
        #expect(!follow.probes && follow.segment != nil)
    }

    @Test("and those behind them come nearer to arrival only gently")
    func behind() throws {
        var progress = try follow(10, arrivingAt: 1220, timestamp: 110).progress
        for number in 13..<30 {
            let next = progress.list(
                list((number - 2)...number), from: 2, opensHole: false, cause: nil, hole: .sourceStalled,
                arrival: arrived(1220 + Double(number - 12) * 6), shared: [:])
            let start = try #require(next.first?.placed.start)
            #expect((start - at(1000 + Double(number) * 6)).magnitude < 300_000)
        }
    }

    @Test(
        "are placed by arrival where timestamps jump, run back, lie in time to come, or cannot be read",
        arguments: [9000, 80, 300, nil])
    func jump(timestamp: Double?) throws {
        let follow = try follow(10, arrivingAt: 1220, timestamp: timestamp)
        #expect(follow.probes)
        #expect(follow.segment?.placed.start == at(1202))
        #expect(follow.segment?.hole == .recorderDown)
    }

    @Test("are not read when numbers explain it, dates tell it, or no timestamp is known")
    func unread() throws {
        #expect(try !follow(10, arrivingAt: 1080, timestamp: 110).probes)
        #expect(try !follow(30, arrivingAt: 1200, timestamp: 110).probes)
        #expect(try !follow(10, arrivingAt: 1220, timestamp: 110, held: false).probes)
        #expect(try !follow(10, arrivingAt: 1220, timestamp: 110, isDated: true).probes)
    }
}
