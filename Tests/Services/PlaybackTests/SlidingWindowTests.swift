import Catalogue
import HLS
import Testing
import Timeline

@testable import Playback

struct SlidingWindowTests {
    private func composed(
        _ recorded: Recorded, until time: Double, length: Double? = nil, delay: Double = 0, now: Double? = nil
    ) -> ComposedWindow {
        let seen = recorded.published(until: time)
        let sliding = SlidingWindow(
            length: length.map { Int64($0 * 1_000_000) }, delay: Int64(delay * 1_000_000), line: seen.line,
            now: at(now ?? time + 4))
        return sliding.composed(seen.record)
    }

    @Test("Live is the longer of six segments and 30 s, open, with the numbers of the published log")
    func live() throws {
        let recorded = Recorded(run(100, from: 0, number: 1000, epoch: 5))
        let list = try #require(try media(composed(recorded, until: 400).text()))
        #expect(list.segments.count == 8)
        #expect(list.mediaSequence == 1092)
        #expect(list.discontinuitySequence == 5)
        #expect(list.type == nil)
        #expect(!list.isEnded)
        let long = Recorded(run(40, from: 0, of: 10))
        #expect(composed(long, until: 400).starts().count == 6)
    }

    @Test("dvr makes it that long, delay moves it that far back")
    func dvrAndDelay() {
        let recorded = Recorded(run(200, from: 0))
        #expect(composed(recorded, until: 800, length: 120).starts().count == 30)
        let delayed = composed(recorded, until: 800, delay: 100)
        #expect(delayed.renditions[0].segments.last?.end == at(700))
    }

    @Test("A delayed list goes on when the channel stands still")
    func standstill() {
        let recorded = Recorded(run(200, from: 0))
        #expect(composed(recorded, until: 800, delay: 100, now: 812).window.end == at(700))
        #expect(composed(recorded, until: 800, delay: 100, now: 872).window.end == at(760))
        #expect(composed(recorded, until: 800, delay: 100, now: 9000).window.end == at(800))
    }

    @Test("Both counters rise as segments leave at the front, and never more than those that were listed")
    func counters() throws {
        let recorded = Recorded(
            run(10, from: 0, number: 0) + run(10, from: 60, number: 10, epoch: 1)
                + run(20, from: 100, number: 20, epoch: 2))
        var last: MediaPlaylist?
        for time in stride(from: 4.0, through: 180, by: 4) {
            let list = try #require(try media(composed(recorded, until: time).text()))
            if let last {
                #expect(list.mediaSequence >= last.mediaSequence)
                let removed = Int(list.mediaSequence - last.mediaSequence)
                let lost = last.segments.prefix(removed + 1).dropFirst().reduce(0) {
                    $0 + $1.discontinuityCount
                }
                let before = last.discontinuitySequence ?? 0
                #expect(list.discontinuitySequence == before + UInt64(lost))
                let kept = last.segments.dropFirst(removed).map(\.uri)
                #expect(Array(list.segments.map(\.uri).prefix(kept.count)) == kept)
            }
            last = list
        }
    }

    @Test("A list never mixes containers")
    func containers() {
        var recorded = Recorded(run(10, from: 0) + run(2, from: 40, number: 10, epoch: 1, state: 2))
        recorded.states[2] = .fragmented("init-0000000000000001.mp4")
        #expect(composed(recorded, until: 48).starts() == [40, 44].map(at))
    }

    @Test("All renditions begin together")
    func renditions() {
        var recorded = Recorded(run(100, from: 0))
        recorded.add(run(200, from: 0, of: 2), as: "a0")
        let window = composed(recorded, until: 400)
        #expect(window.starts().first == at(368))
        #expect(window.starts(of: "a0").first == at(368))
    }
}
