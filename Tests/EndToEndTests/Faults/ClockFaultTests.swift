import Foundation
import TestSupport
import Testing

/// Steps of the host's clock move nothing in time and expire nothing.
@Suite("Steps of the clock under the running program", .limitedStacks, .serialized)
struct ClockFaultTests {
    /// A step of the clock by some seconds, and back.
    struct Step: CustomTestStringConvertible {
        var name: String
        var seconds: Int64
        var lasting: Int
        var isDated: Bool

        var testDescription: String { "\(name), \(isDated ? "dated" : "undated")" }
    }

    static let all: [Step] = [
        ("+30 s", 30, 60), ("-30 s", -30, 60), ("+8 h", 28_800, 60), ("+2 days", 172_800, 12),
    ].flatMap { name, seconds, lasting in
        [true, false].map {
            Step(
                name: name, seconds: seconds, lasting: min(lasting, FaultScale.current.away), isDated: $0)
        }
    }

    /// The short form tries the two that did the most harm.
    @Test(
        "and back again", .timeLimit(.minutes(30)),
        arguments: FaultScale.isFull ? all : [all[5], all[6]])
    func stepped(step: Step) async throws {
        let plan = FaultStack.Plan(
            fault: "clock \(step.testDescription), for \(step.lasting) s", isDated: step.isDated,
            settings: #""retention_seconds":86400"#)
        try await FaultStack.attempt(plan) { run in
            try run.host.stepClock(to: step.seconds)
            try await Task.sleep(for: .seconds(step.lasting))
            try run.host.stepClock(to: 0)
        }
    }
}
