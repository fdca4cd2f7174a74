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

    /// What follows so many failed openings, each of which took so long.
    private static func failures(
        _ order: inout SourceOrder, _ count: Int, after duration: Duration = .milliseconds(20),
    ) -> [SourceOrder.NextOpening] {
        var next: [SourceOrder.NextOpening] = []
        for _ in 0..<count { next.append(order.failed(after: duration, now: moment(0))) }
        return next
    }

    @Test("One that cannot be opened is tried twice; a good opening begins the count again")
    func failing() {
        var order = order(0, 1)
        let first = Self.failures(&order, 1)
        #expect(first == [.again])
        #expect(order.current?.url == "0" && order.preferred.isEmpty)
        order.opened()
        let more = Self.failures(&order, 2)
        #expect(more == [.again, .another])
        #expect(order.current?.url == "1" && order.preferred.map(\.url) == ["0"])
    }

    @Test("One that does not answer is tried once while another one may be there")
    func silent() {
        var order = order(0, 1)
        let next = Self.failures(&order, 1, after: .seconds(5))
        #expect(next == [.another])
        #expect(order.current?.url == "1")
    }

    @Test("When none could be opened, each of them is tried once after each pause")
    func rounds() {
        var order = order(0, 1, 2)
        let first = Self.failures(&order, 6)
        #expect(first == [.again, .another, .again, .another, .again, .later])
        #expect(order.rounds == 1 && order.current?.url == "0")
        let more = Self.failures(&order, 6)
        #expect(more == [.another, .another, .later, .another, .another, .later])
        #expect(order.rounds == 3)
    }

    @Test("A start begins with the source that was recorded from last, if it is still one of them")
    func last() {
        let urls = ["one", "two", "three"].map { "http://\($0).test/live.m3u8" }
        let cases: [(String?, Int)] = [
            (urls[1], 1), (urls[2], 2), ("http://gone.test/live.m3u8", 0), (nil, 0),
        ]
        for (last, expected) in cases {
            // What tells a source leaves its secrets out.
            var order = SourceOrder(urls.map { SourceSettings(url: "\($0)?token=1") })
            order.begin(with: last.map { SourceClient.identity("\($0)?token=0") })
            #expect(order.current == order.sources[expected])
            #expect(order.preferred == Array(order.sources[..<expected]))
        }
    }

    @Test("An only source is never left")
    func only() {
        var order = order(0)
        let next = Self.failures(&order, 7)
        #expect(next.count == 7 && next.allSatisfy { $0 == .later })
        #expect(order.rounds == 7)
        order.leave(now: moment(0))
        #expect(order.current?.url == "0" && order.preferred.isEmpty)
    }

    @Test("Every preferred source may be taken back, not only the next better one")
    func back() {
        var order = order(0, 1, 2)
        for _ in 0..<2 { order.leave(now: moment(0)) }
        #expect(order.preferred.map(\.url) == ["0", "1"])
        order.failBack(order.preferred[0], now: moment(60))
        #expect(order.current?.url == "0" && order.preferred.isEmpty)
    }

    @Test("Returns that do not last make the next one wait longer, up to a bound; a lasting one is forgiven")
    func failedReturns() {
        var order = order(0, 1)
        var pauses: [Duration] = []
        for turn in 0..<10 {
            order.leave(now: moment(Double(turn) * 100 + 10))
            pauses.append(order.failbackPause)
            order.failBack(order.sources[0], now: moment(Double(turn) * 100 + 20))
        }
        #expect(pauses.first == Limits.failbackPause && pauses.last == Limits.longestFailbackPause)
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
        order.leave(now: moment(5000))
        #expect(order.failbackPause == Limits.failbackPause)
    }
}
