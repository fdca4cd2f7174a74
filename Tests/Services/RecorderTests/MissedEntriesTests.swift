import HLS
import Testing
import Timeline

@testable import Recorder

@Suite("Missed entries")
struct MissedEntriesTests {
    private func held(_ numbers: (Int64, Double, Double)...) -> MissedEntries {
        MissedEntries(
            Dictionary(
                numbers.map { ($0.0, TimeWindow(begin: at($0.1), end: at($0.2))) },
                uniquingKeysWith: { a, _ in a }))
    }

    private func windows(_ found: [(index: Int, window: TimeWindow)]) -> [[Double]] {
        found.map {
            [
                Double($0.index), PublisherStage.seconds($0.window.begin),
                PublisherStage.seconds($0.window.end),
            ]
        }
    }

    @Test("Entries between held ones get the time that these leave")
    func between() {
        let missed = held((10, 100, 106), (13, 117, 123))
        #expect(windows(missed.found(in: list(9...15), before: 7)) == [[2, 106, 112], [3, 112, 117]])
    }

    @Test("An entry whose EXTINF is of no use gets the target duration", arguments: [0, -1, Int64.max])
    func unusableDuration(duration: Int64) {
        let missed = held((10, 100, 106), (13, 117, 123))
        var one = list(9...15)
        one.segments[2].durationMicroseconds = duration
        #expect(windows(missed.found(in: one, before: 7)) == [[2, 106, 112], [3, 112, 117]])
    }

    @Test("Where the held ones leave no time, there is nothing to fetch")
    func noRoom() {
        let missed = held((10, 100, 106), (12, 106, 112))
        #expect(missed.found(in: list(9...15), before: 7).isEmpty)
    }

    @Test("A long playlist is compared with as many held ones at once", .timeLimit(.minutes(30)))
    func long() {
        let count = 10_000
        let missed = MissedEntries(
            Dictionary(
                uniqueKeysWithValues: stride(from: 0, to: count, by: 2).map {
                    (Int64($0), TimeWindow(begin: at(Double($0) * 6), end: at(Double($0 + 1) * 6)))
                }))
        let playlist = list(0...(count - 1))
        var found = 0
        let time = ContinuousClock().measure { found = missed.found(in: playlist, before: count).count }
        #expect(found == count / 2 - 1)
        // Comparing each entry with all that is held took minutes here.
        #expect(time < .seconds(40))
    }

    @Test("What lies before the first held, behind the last held or behind the given end is not missed")
    func outside() {
        let missed = held((10, 100, 106), (14, 124, 130))
        #expect(windows(missed.found(in: list(5...20), before: 8)) == [[6, 106, 112], [7, 112, 118]])
        #expect(held((10, 100, 106)).found(in: list(5...20), before: 16).isEmpty)
        #expect(MissedEntries().found(in: list(5...20), before: 16).isEmpty)
    }
}
