import HLS
import Testing
import Timeline

@testable import Recorder

@Suite("The polling of one list")
struct PollingTests {
    private var polling = Polling(now: moment(0), chance: 0)

    @Test("A list is well as long as something new comes within three target durations (RFC 8216bis §6.3.4)")
    mutating func news() {
        polling.loaded(list(1...3), changed: true, begun: moment(10), now: moment(10))
        #expect(polling.condition(now: moment(28)) == .healthy)
        polling.loaded(list(1...3), changed: false, begun: moment(28), now: moment(28))
        #expect(polling.condition(now: moment(28.5)) == .down)
        polling.loaded(list(1...4), changed: true, begun: moment(29), now: moment(29))
        #expect(polling.condition(now: moment(29)) == .healthy)
    }

    @Test("One failure is nothing, two are worth a word, four are reason to look elsewhere")
    mutating func failures() {
        polling.loaded(list(1...3), changed: true, begun: moment(0), now: moment(0))
        let conditions = (1...4).map { _ in
            polling.failed(now: moment(1))
            return polling.condition(now: moment(1))
        }
        #expect(conditions == [.healthy, .failing, .failing, .down])
        polling.loaded(list(1...4), changed: true, begun: moment(2), now: moment(2))
        #expect(polling.condition(now: moment(2)) == .healthy && polling.failures == 0)
    }

    @Test("The pause is that of the list: live, ended with segments or without any, or failing")
    mutating func pauses() {
        polling.loaded(list(1...30), changed: true, begun: moment(0), now: moment(0))
        #expect(polling.pause == 6 * seconds)
        polling.loaded(list(1...30), changed: false, begun: moment(0), now: moment(0))
        #expect(polling.pause == 3 * seconds)
        polling.failed(now: moment(0))
        #expect(polling.pause == 3 * seconds)
        polling.loaded(list(1...30, ended: true), changed: true, begun: moment(0), now: moment(0))
        #expect(polling.pause == 6 * seconds)
        var empty = MediaPlaylist()
        empty.isEnded = true
        polling.loaded(empty, changed: false, begun: moment(0), now: moment(0))
        #expect(polling.pause == 6 * seconds)
        polling.loaded(empty, changed: false, begun: moment(900), now: moment(900))
        #expect(polling.pause == 30 * seconds)
    }
}
