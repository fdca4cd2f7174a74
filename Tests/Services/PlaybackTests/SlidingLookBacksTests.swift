import Testing
import Timeline

@testable import Playback

struct SlidingLookBacksTests {
    private let sparse = RenditionID(kind: .subtitles, index: 0)
    private let other = RenditionID(kind: .video, index: 0)

    @Test("Each step reads four times as far, up to the limit")
    func steps() {
        let known = SlidingLookBacks()
        var (lookBack, steps) = (Int64(38), [Int64]())
        while lookBack < 20_000 {
            lookBack = known.next(after: lookBack, upTo: 20_000, for: [sparse], in: 1)
            steps.append(lookBack)
        }
        #expect(steps == [152, 608, 2432, 9728, 20_000])
    }

    @Test("What was needed for a rendition of a channel is read at once the next time, for it only")
    func memory() {
        let known = SlidingLookBacks()
        known.keep(9728, for: [sparse], in: 1)
        #expect(known.next(after: 38, upTo: 86_400, for: [sparse], in: 1) == 9728)
        #expect(known.next(after: 38, upTo: 86_400, for: [other, sparse], in: 1) == 9728)
        #expect(known.next(after: 38, upTo: 600, for: [sparse], in: 1) == 600)
        #expect(known.next(after: 9728, upTo: 86_400, for: [sparse], in: 1) == 38_912)
        #expect(known.next(after: 38, upTo: 86_400, for: [other], in: 1) == 152)
        #expect(known.next(after: 38, upTo: 86_400, for: [sparse], in: 2) == 152)
    }

    @Test("Of more channels than are cached all is forgotten, not kept")
    func bound() {
        let known = SlidingLookBacks()
        for channel in 0..<Int32(Limits.cachedChannels) { known.keep(9728, for: [sparse], in: channel) }
        #expect(known.next(after: 38, upTo: 86_400, for: [sparse], in: 0) == 9728)
        known.keep(9728, for: [sparse], in: -1)
        #expect(known.next(after: 38, upTo: 86_400, for: [sparse], in: 0) == 152)
        #expect(known.next(after: 38, upTo: 86_400, for: [sparse], in: -1) == 9728)
    }
}
