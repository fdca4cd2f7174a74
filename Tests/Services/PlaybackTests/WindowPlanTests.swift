import Catalogue
import TestSupport
import Testing
import Timeline

@testable import Playback

struct WindowPlanTests {
    private func plan(
        _ span: WindowRequest.Span, limit: Int64 = 600, expiredBefore: Instant = at(100),
        retention: Int64? = nil,
    ) throws(PlaybackError) -> WindowPlan {
        let head = PublishedHead(
            discontinuitySequence: 0, end: at(1000), watermark: at(1000), expiredBefore: expiredBefore,
            targetSeconds: 4)
        return try WindowPlan.resolving(
            WindowRequest(span), publishedHead: head, maxWindowSeconds: limit, retentionSeconds: retention)
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

    @Test("An EVENT playlist without an end ends before its head expires, and says where it goes on")
    func eventWithinRetention() throws {
        let whole = try plan(.event(begin: at(300), end: nil), retention: 900)
        #expect(whole.window == window(300, 900) && !whole.allowsMissingTracks)
        let cut = try plan(.event(begin: at(300), end: nil), retention: 800)
        #expect(cut.window == window(300, 800) && !cut.allowsMissingTracks)
        #expect(cut.next == at(800))
        // Too little is kept for that.
        let short = try plan(.event(begin: at(900), end: nil), retention: 599)
        #expect(short.window == window(900, 1500) && short.allowsMissingTracks)
        // A requested end is kept.
        let asked = try plan(.event(begin: at(300), end: at(850)), retention: 800)
        #expect(asked.window == window(300, 850) && asked.allowsMissingTracks)
    }

    @Test("Each refusal states its reason")
    func errors() {
        expect(.closed(begin: at(500), end: at(500)), fails: "the window ends before it begins")
        expect(.closed(begin: at(200), end: at(801)), fails: "a window may be at most 600 seconds long")
        expect(.closed(begin: at(1000), end: nil), fails: "nothing is recorded in this window")
        expect(
            .closed(begin: at(50), end: at(100)), fails: "the window has expired")
        expect(.event(begin: at(2000), end: nil), fails: "nothing is recorded in this window")
    }

    @Test("A window before 1970 has expired only where anything has")
    func beforeEverything() {
        let begin = Instant(seconds: -62_135_596_800)
        for span in [WindowRequest.Span.closed(begin: begin, end: nil), .event(begin: begin, end: nil)] {
            expect(span, fails: "the window has expired")
            expect(
                span, expiredBefore: Instant(microseconds: 0), fails: "nothing is recorded in this window")
        }
    }

    private func expect(
        _ span: WindowRequest.Span, expiredBefore: Instant = at(100), fails description: String
    ) {
        do {
            _ = try plan(span, expiredBefore: expiredBefore)
            Issue.record("no error: \(description)")
        } catch {
            #expect(error.description == description)
        }
    }
}
