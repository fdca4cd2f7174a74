import Concurrency
import TestSupport
import Testing
import Timeline

@testable import Playback

struct WatermarkHistoryTests {
    private let start = SteadyInstant.now
    private let span = Duration.seconds(12)

    private func history(_ observations: [(seconds: Double, watermark: Double)]) -> WatermarkHistory {
        var history = WatermarkHistory(
            at(observations[0].watermark), at: start + .seconds(observations[0].seconds))
        for sight in observations.dropFirst() {
            history.note(at(sight.watermark), at: start + .seconds(sight.seconds), keeping: span)
        }
        return history
    }

    @Test("For a new channel its own clock determines what is settled")
    func first() {
        #expect(history([(0, 100)]).settled(for: span, asOf: start) == at(88))
    }

    @Test("A watermark is settled once it has been known for the span, not before")
    func seen() {
        let seen = history([(0, 100), (5, 400), (10, 500)])
        for (now, settled) in [(0.0, 88.0), (11.9, 88), (12, 100), (16.9, 100), (17, 400), (22, 500)] {
            #expect(seen.settled(for: span, asOf: start + .seconds(now)) == at(settled), "\(now)")
        }
    }

    @Test("However often it is read, no more is settled than was seen, and memory stays bounded")
    func bounded() {
        let observations = (0..<2_000).map { (seconds: Double($0) / 100, watermark: 100 + Double($0)) }
        let many = history(observations)
        for now in [12.0, 15, 20, 31] {
            let settled = many.settled(for: span, asOf: start + .seconds(now))
            let exact = 100 + min(((now - 12) * 100).rounded(.down), 1_999)
            #expect(settled <= at(exact), "\(now)")
        }
        #expect(many.settled(for: span, asOf: start + .seconds(100)) == at(2_099))
    }
}
