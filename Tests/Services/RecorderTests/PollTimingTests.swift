import HLS
import Testing
import Timeline

@testable import Recorder

@Suite("The polling of one list")
struct PollTimingTests {
    private var timing = PollTiming(now: moment(0), chance: 0)

    @Test("A list is well as long as something new comes within three target durations (RFC 8216bis §6.3.4)")
    mutating func news() {
        timing.loaded(list(1...3), changed: true, startedAt: moment(10), now: moment(10))
        #expect(timing.condition(now: moment(28)) == .healthy)
        timing.loaded(list(1...3), changed: false, startedAt: moment(28), now: moment(28))
        #expect(timing.condition(now: moment(28.5)) == .down)
        timing.loaded(list(1...4), changed: true, startedAt: moment(29), now: moment(29))
        #expect(timing.condition(now: moment(29)) == .healthy)
    }

    @Test("Segments that are longer than the target duration says have three times their own length")
    mutating func longSegments() throws {
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:8,\n1.ts\n#EXTINF:8,\n2.ts\n"
        let long = try Playlist.reading(Array(text.utf8))
        guard case .media(let playlist) = long.playlist else { return #expect(Bool(false)) }
        timing.loaded(playlist, changed: true, startedAt: moment(10), now: moment(10))
        #expect(timing.condition(now: moment(20)) == .healthy)
        #expect(timing.absence(now: moment(33)) == nil)
        #expect(timing.condition(now: moment(35)) == .down)
    }

    @Test("One long entry does not make a source that stands still look well")
    mutating func longEntry() throws {
        let durations = [6, 6, 120, 6, 6, 6]
        let entries = durations.enumerated().map { "#EXTINF:\($1),\n\($0).ts\n" }.joined()
        let read = try Playlist.reading(Array("#EXTM3U\n#EXT-X-TARGETDURATION:6\n\(entries)".utf8))
        guard case .media(let playlist) = read.playlist else { return #expect(Bool(false)) }
        timing.loaded(playlist, changed: true, startedAt: moment(10), now: moment(10))
        #expect(timing.condition(now: moment(27)) == .healthy)
        #expect(timing.condition(now: moment(28.5)) == .down)
    }

    @Test("One failure is nothing, two are worth a word, four are reason to look elsewhere")
    mutating func failures() {
        timing.loaded(list(1...3), changed: true, startedAt: moment(0), now: moment(0))
        let conditions = (1...4).map { _ in
            timing.failed(now: moment(1))
            return timing.condition(now: moment(1))
        }
        #expect(conditions == [.healthy, .failing, .failing, .down])
        timing.loaded(list(1...4), changed: true, startedAt: moment(2), now: moment(2))
        #expect(timing.condition(now: moment(2)) == .healthy && timing.failures == 0)
    }

    /// Lists of three that say six seconds each.
    @Test("Where missed numbers show shorter segments than EXTINF says, pauses go by these")
    mutating func missedNumbers() {
        timing.loaded(list(1...3), changed: true, startedAt: moment(0), now: moment(0))
        timing.loaded(list(6...8), changed: true, startedAt: moment(6), now: moment(6))
        #expect(timing.pause == 1_200_000)
        timing.unchanged(startedAt: moment(7.2), now: moment(7.2))
        #expect(timing.pause == 600_000)
        // What comes later is at least so long as nothing has come.
        timing.unchanged(startedAt: moment(9), now: moment(9))
        #expect(timing.pause == 1_500_000)
        // A source that is as fast as it says.
        timing.loaded(list(7...9), changed: true, startedAt: moment(12), now: moment(12))
        timing.loaded(list(8...10), changed: true, startedAt: moment(18), now: moment(18))
        timing.loaded(list(9...11), changed: true, startedAt: moment(24), now: moment(24))
        #expect(timing.pause == 6 * seconds)
    }

    @Test("Numbers that were missed while a source was away, and numbers that jump, do not shorten pauses")
    mutating func absentSource() {
        timing.loaded(list(1...3), changed: true, startedAt: moment(0), now: moment(0))
        timing.failed(now: moment(6))
        timing.loaded(list(11...13), changed: true, startedAt: moment(60), now: moment(60))
        #expect(timing.pause == 6 * seconds)
        timing.loaded(list(5_000...5_002), changed: true, startedAt: moment(66), now: moment(66))
        #expect(timing.pause == 6 * seconds)
        timing.loaded(list(1...3), changed: true, startedAt: moment(72), now: moment(72))
        #expect(timing.pause == 6 * seconds)
    }

    @Test("Numbers after a stale list do not shorten pauses")
    mutating func stale() {
        timing.loaded(list(101...103), changed: true, startedAt: moment(0), now: moment(0))
        timing.loaded(list(97...99), changed: false, isStale: true, startedAt: moment(6), now: moment(6))
        timing.loaded(list(102...104), changed: true, startedAt: moment(9), now: moment(9))
        #expect(timing.pause == 6 * seconds)
    }

    @Test("After a small jump of the numbers it is asked as usual again within a few segments")
    mutating func jump() {
        timing.loaded(list(1...3), changed: true, startedAt: moment(0), now: moment(0))
        var (time, loads) = (6.0, 0)
        while time < 60 {
            // A segment each six seconds; a hundred numbers were left out.
            let last = 103 + Int((time - 6) / 6)
            let isNew = loads == 0 || last > 103 + Int((time - 6 - Double(timing.pause) / 1e6) / 6)
            timing.loaded(
                list((last - 2)...last), changed: isNew, startedAt: moment(time), now: moment(time))
            time += Double(timing.pause) / 1e6
            loads += 1
        }
        #expect(timing.pause >= 3 * seconds)
        #expect(loads < 20)
    }

    @Test(
        "Chance does not make the pause longer after a failure or the end", arguments: [false, true],
        [-1.0, 1])
    func latest(isEnded: Bool, chance: Double) {
        var timing = PollTiming(now: moment(0), chance: 0)
        var playlist = list(1...3)
        playlist.isEnded = isEnded
        timing.loaded(playlist, changed: true, startedAt: moment(0), now: moment(0))
        if !isEnded { for _ in 1...6 { timing.failed(now: moment(1)) } }
        #expect(timing.pause == 6 * seconds)
        #expect(timing.adjustedPause(chance: chance) == 5_700_000)
    }

    @Test("The pause is that of the list: live, ended with segments or without any, or failing")
    mutating func pauses() {
        timing.loaded(list(1...30), changed: true, startedAt: moment(0), now: moment(0))
        #expect(timing.pause == 6 * seconds)
        timing.loaded(list(1...30), changed: false, startedAt: moment(0), now: moment(0))
        #expect(timing.pause == 3 * seconds)
        timing.failed(now: moment(0))
        #expect(timing.pause == 3 * seconds)
        timing.loaded(list(1...30, ended: true), changed: true, startedAt: moment(0), now: moment(0))
        #expect(timing.pause == 6 * seconds)
        var empty = MediaPlaylist()
        empty.isEnded = true
        timing.loaded(empty, changed: false, startedAt: moment(0), now: moment(0))
        #expect(timing.pause == 6 * seconds)
        timing.loaded(empty, changed: false, startedAt: moment(900), now: moment(900))
        #expect(timing.pause == 30 * seconds)
    }
}
