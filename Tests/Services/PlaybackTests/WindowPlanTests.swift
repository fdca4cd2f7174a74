import Catalogue
import TestSupport
import Testing
import Timeline

@testable import Playback

struct WindowPlanTests {
    private var publishedHead: PublishedHead {
        PublishedHead(
            discontinuitySequence: 0, end: at(1000), watermark: at(1000), expiredBefore: at(100),
            targetSeconds: 4)
    }

    private func plan(_ span: WindowRequest.Span, limit: Int64 = 600) throws(PlaybackError) -> WindowPlan {
        try WindowPlan.resolving(WindowRequest(span), publishedHead: publishedHead, maxWindowSeconds: limit)
    }

    @Test("An open end is the live edge, or the longest window with a link to the rest")
    func openEnd() throws {
        let short = try plan(.closed(begin: at(900), end: nil))
        #expect(short.window == window(900, 1000))
        #expect(short.next == nil)
        #expect(!short.isFixed)
        let long = try plan(.closed(begin: at(200), end: nil))
        #expect(long.window == window(200, 800))
        #expect(long.next == at(800))
        #expect(long.isFixed)
    }

    @Test("An end ahead of the live edge is clamped to it")
    func clamped() throws {
        let plan = try plan(.closed(begin: at(900), end: at(1200)))
        #expect(plan.window == window(900, 1000))
        #expect(!plan.isFixed)
    }

    @Test("An EVENT playlist keeps its end, and gets one if none is given")
    func event() throws {
        #expect(try plan(.event(begin: at(900), end: at(1200))).window == window(900, 1200))
        #expect(try plan(.event(begin: at(900), end: nil)).window == window(900, 1500))
    }

    @Test("Each refusal states its reason")
    func errors() {
        expect(.closed(begin: at(500), end: at(500)), fails: "the window ends before it begins")
        expect(.closed(begin: at(200), end: at(801)), fails: "a window may be at most 600 seconds long")
        expect(.closed(begin: at(1000), end: nil), fails: "nothing is recorded in this window")
        expect(
            .closed(begin: at(50), end: at(100)), fails: "the window is older than the channel's retention")
        expect(.event(begin: at(2000), end: nil), fails: "nothing is recorded in this window")
    }

    private func expect(_ span: WindowRequest.Span, fails description: String) {
        do {
            _ = try plan(span)
            Issue.record("no error: \(description)")
        } catch {
            #expect(error.description == description)
        }
    }
}
