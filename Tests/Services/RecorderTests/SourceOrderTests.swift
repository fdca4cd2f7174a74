import Testing
import Timeline

@testable import Recorder

@Suite("The order of sources")
struct SourceOrderTests {
    private func order(_ priorities: Int...) -> SourceOrder {
        SourceOrder(
            priorities.enumerated().map { SourceSettings(url: "\($0.offset)", priority: $0.element) })
    }

    @Test("Lower priorities go first, equal ones as listed")
    func preference() {
        #expect(order(5, 1, 5, 0).sources.map(\.url) == ["3", "1", "0", "2"])
        #expect(order().current == nil)
    }

    @Test("A source that brings nothing is left for the next, the last one for the first")
    func around() {
        var order = order(0, 1, 2)
        var used: [String?] = []
        for _ in 0..<4 {
            used.append(order.current?.url)
            order.leave(now: moment(0))
        }
        #expect(used == ["0", "1", "2", "0"])
    }

    @Test("One that cannot be opened is tried three times; a good opening begins the count again")
    func failing() {
        var order = order(0, 1)
        order.failed(now: moment(0))
        order.failed(now: moment(0))
        #expect(order.current?.url == "0" && order.preferred.isEmpty)
        order.reopened()
        for _ in 0..<3 { order.failed(now: moment(0)) }
        #expect(order.current?.url == "1" && order.preferred.map(\.url) == ["0"])
    }

    @Test("An only source is never left")
    func only() {
        var order = order(0)
        for _ in 0..<7 { order.failed(now: moment(0)) }
        order.leave(now: moment(0))
        #expect(order.current?.url == "0" && order.preferred.isEmpty)
    }

    @Test("Every preferred source may be taken back, not only the next better one")
    func back() {
        var order = order(0, 1, 2)
        for _ in 0..<2 { order.leave(now: moment(0)) }
        #expect(order.preferred.map(\.url) == ["0", "1"])
        order.takeBack(order.preferred[0], now: moment(60))
        #expect(order.current?.url == "0" && order.preferred.isEmpty)
    }

    @Test("Returns that do not last make the next one wait longer, up to a bound; a lasting one is forgiven")
    func relapses() {
        var order = order(0, 1)
        var pauses: [Duration] = []
        for turn in 0..<10 {
            order.leave(now: moment(Double(turn) * 100 + 10))
            pauses.append(order.scoutPause)
            order.takeBack(order.sources[0], now: moment(Double(turn) * 100 + 20))
        }
        #expect(pauses.first == Limits.scoutPause && pauses.last == Limits.longestScoutPause)
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
        order.leave(now: moment(5000))
        #expect(order.scoutPause == Limits.scoutPause)
    }
}
