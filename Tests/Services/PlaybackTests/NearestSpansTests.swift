import Concurrency
import TestSupport
import Testing
import Timeline

@testable import Playback

@Suite("What a 404 offered lately")
struct NearestSpansTests {
    private static let place = NearestSpans.CacheKey(channel: 1, quarters: window(0, 900))
    private static let spans = [
        TimeWindow(begin: Instant(microseconds: 0), end: Instant(microseconds: 1_000_000))
    ]

    private let begin = SteadyInstant.now

    private func moment(_ seconds: Int) -> SteadyInstant { begin + .seconds(seconds) }

    @Test("is offered again for ten seconds, and for as long as the channel stays as it is")
    func age() {
        let nearest = NearestSpans()
        #expect(nearest.spans(Self.place, revision: 5, now: moment(0)) == nil)
        nearest.keep(Self.spans, for: Self.place, revision: 5, now: moment(0))
        #expect(nearest.spans(Self.place, revision: 6, now: moment(9)) == Self.spans)
        #expect(nearest.spans(Self.place, revision: 6, now: moment(11)) == nil)
        #expect(nearest.spans(Self.place, revision: 5, now: moment(1_000)) == Self.spans)
        // Where the revision is not known, another one may hold more.
        nearest.keep(Self.spans, for: Self.place, revision: nil, now: moment(0))
        #expect(nearest.spans(Self.place, revision: nil, now: moment(11)) == nil)
        let other = NearestSpans.CacheKey(channel: 2, quarters: window(0, 900))
        #expect(nearest.spans(other, revision: 5, now: moment(0)) == nil)
    }
}
