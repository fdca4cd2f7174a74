import Concurrency
import Testing

@testable import Playback

struct SmoothedLagTests {
    private let start = SteadyInstant.now

    @Test("A lag that stays or falls takes effect at once")
    func falling() {
        var lag = SmoothedLag(30_000_000, at: start)
        #expect(lag.value(at: start + .seconds(60)) == 30_000_000)
        lag.note(5_000_000, at: start + .seconds(60))
        #expect(lag.value(at: start + .seconds(60)) == 5_000_000)
    }

    @Test("A lag that grows takes effect slowly, and the clock minus the lag never moves backwards")
    func growing() {
        var lag = SmoothedLag(0, at: start)
        var last = Int64.min
        for second in 0..<120 {
            let now = start + .seconds(second)
            let before = Int64(second) * 1_000_000 - lag.value(at: now)
            lag.note(second < 10 ? 0 : 40_000_000, at: now)
            let after = Int64(second) * 1_000_000 - lag.value(at: now)
            #expect(after > last && before >= after && before - after <= 1, "\(second)")
            last = after
        }
        #expect(lag.value(at: start + .seconds(120)) == 40_000_000)
    }
}
