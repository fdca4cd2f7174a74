import Concurrency
import TestSupport
import Testing

@testable import Recorder

@Suite("The update phase of a live playlist")
struct UpdatePhaseTests {
    private static let segment = Duration.seconds(4)

    /// A list that grows every four seconds, polled as `PollTiming` would.
    ///
    /// Its segments may be shorter than it says by a share.
    private struct Listing {
        var phase: UpdatePhase
        var chance = SeededGenerator(seed: 7)
        /// How much each listing may be early or late.
        var wavering = Duration.zero
        private var listings: [SteadyInstant] = []

        init(chance: Double, wavering: Duration = .zero, share: Double = 1) {
            phase = UpdatePhase(chance: chance)
            self.wavering = wavering
            listings = (0..<2_000).map {
                moment(0) + UpdatePhaseTests.segment * (Double($0) * share) + wavering
                    * Double.random(in: -1...1, using: &self.chance)
            }.sorted()
        }

        /// Polls from an instant on; how late each listing was noticed, and the shares that pauses were
        /// leaned by.
        mutating func polled(from begin: Duration) -> (delays: [Duration], leans: [Double]) {
            var (now, known) = (moment(0) + begin, 0)
            var (delays, leans): ([Duration], [Double]) = ([], [])
            while now < moment(7_000) {
                let listed = listings.prefix { $0 <= now }.count
                delays += listings[known..<listed].map { now - $0 }
                phase.loaded(at: now, added: listed - known, duration: UpdatePhaseTests.segment)
                let adjustment =
                    listed > known
                    ? phase.adjustment(
                        duration: UpdatePhaseTests.segment, chance: .random(in: -1...1, using: &chance)) : 0
                leans.append(adjustment)
                now +=
                    listed > known
                    ? UpdatePhaseTests.segment * (1 + adjustment) : UpdatePhaseTests.segment / 2
                known = listed
            }
            return (delays, leans)
        }
    }

    @Test(
        "Wherever polls began, they soon come shortly after each update",
        arguments: [0.1, 0.9, 2, 3.1, 3.9])
    func approach(begin: Double) {
        for chance in [-1.0, 0, 1] {
            var listing = Listing(chance: chance)
            let delays = listing.polled(from: .seconds(begin)).delays.dropFirst(60).sorted()
            #expect(delays[delays.count / 2] < UpdatePhaseTests.segment * 0.2)
            #expect(delays[delays.count * 8 / 10] < UpdatePhaseTests.segment * 0.25)
            #expect(delays[delays.count - 1] <= UpdatePhaseTests.segment / 2)
        }
    }

    @Test(
        "A playlist whose updates jitter is noticed within half a segment",
        arguments: [0.02, 0.1, 0.3, 0.6])
    func wavering(seconds: Double) {
        var listing = Listing(chance: 0, wavering: .seconds(seconds))
        let delays = listing.polled(from: .seconds(3)).delays.dropFirst(40).sorted()
        #expect(delays[delays.count * 99 / 100] < UpdatePhaseTests.segment / 2 + .seconds(2 * seconds))
        #expect(delays[delays.count / 2] < UpdatePhaseTests.segment * 0.4)
    }

    @Test(
        "A list that grows faster than its durations say is noticed within a segment",
        arguments: [0.97, 0.98])
    func rounded(share: Double) {
        var listing = Listing(chance: 0, share: share)
        let delays = listing.polled(from: .seconds(1)).delays.dropFirst(200).sorted()
        #expect(delays[delays.count / 2] < UpdatePhaseTests.segment * 0.45)
        #expect(delays[delays.count * 99 / 100] < UpdatePhaseTests.segment)
    }

    @Test("Pauses are adjusted by at most five hundredths (RFC 8216bis §6.3.4)")
    func bounds() {
        for wavering in [0, 0.3, 4] {
            var listing = Listing(chance: 5, wavering: .seconds(wavering))
            #expect(listing.polled(from: .seconds(1)).leans.allSatisfy { abs($0) <= 0.05 })
        }
    }
}
