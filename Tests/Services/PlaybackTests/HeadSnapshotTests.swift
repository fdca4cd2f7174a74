import Catalogue
import Concurrency
import TestSupport
import Testing
import Timeline

@testable import Playback

struct HeadSnapshotTests {
    /// A channel with four-second segments that was last published long ago.
    private func head(lag: Double) -> ChannelHead {
        var recorded = RecordedFixture()
        recorded.watermark = 1_000
        return ChannelHead(
            publishedHead: recorded.publishedHead, revision: 1, renditions: [],
            arrivals: Arrivals(lag: Int64(lag * 1_000_000), newest: at(1_000 + lag)))
    }

    @Test(
        "Whether a channel is inactive is judged by the clock, however far its dates lag",
        arguments: [0.0, 3_600])
    func quiet(lag: Double) {
        let instant = SteadyInstant.now
        let seen = HeadSnapshot(TrackedHead(head(lag: lag), at: instant), asOf: instant, age: .zero)
        let edge = window(900, 1_000)
        #expect(!seen.isSettled(edge, now: at(1_004 + lag)))
        #expect(!seen.isSettled(edge, now: at(1_200 + lag)))
        #expect(seen.isSettled(edge, now: at(1_400 + lag)))
        #expect(seen.isSettled(window(900, 980), now: at(1_004 + lag)))
    }

    @Test("A head that was read a while ago is inactive only as of then")
    func age() {
        let instant = SteadyInstant.now
        let old = HeadSnapshot(TrackedHead(head(lag: 0), at: instant), asOf: instant, age: .seconds(300))
        #expect(!old.isSettled(window(900, 1_000), now: at(1_400)))
        #expect(old.isSettled(window(900, 1_000), now: at(1_700)))
    }

    @Test("After a reanchoring, what was read of the former timeline settles nothing of the new one")
    func reanchored() {
        let instant = SteadyInstant.now
        var former = head(lag: 0)
        former.publishedHead.watermark = at(29_800)
        let present = TrackedHead(former, at: instant).following(
            head(lag: 0), at: instant + .seconds(1))
        let seen = HeadSnapshot(present, asOf: instant + .seconds(1), age: .zero)
        #expect(!seen.isSettled(window(900, 1_000), now: at(1_004)))
        #expect(seen.isSettled(window(900, 980), now: at(1_004)))
    }

    @Test("A new lag is used in the next answers")
    func following() {
        let instant = SteadyInstant.now
        let later = TrackedHead(head(lag: 50), at: instant).following(
            head(lag: 20), at: instant + .seconds(1))
        #expect(HeadSnapshot(later, asOf: instant, age: .zero).lag(at: instant + .seconds(1)) == 20_000_000)
    }
}
