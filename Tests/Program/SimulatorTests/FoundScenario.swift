@testable import Simulator

/// A scenario that failed once, with those of its faults that it took.
struct FoundScenario: Sendable {
    var seed: UInt64
    var hours = 3.0
    var faults: [Int]

    var scenario: Scenario {
        var scenario = Scenario(seed: seed, hours: hours)
        scenario.keep(faults)
        return scenario
    }

    static let all = [
        // EXTINF doubled, dates in whole seconds: the time line was ahead of the dates when the source began
        // again, and its first segment was taken for recorded.
        FoundScenario(seed: 700_071, faults: [0])
    ]
}
