import Concurrency
import Dispatch
import Foundation
import Synchronization

/// Looks for scenarios that fail, and makes them small.
struct Search {
    struct Failure {
        var scenario: Scenario
        /// Of its faults before any were taken out.
        var faults: [Int]
        var findings: [String]
        var hours: Double

        var arguments: String {
            "SCENARIO=\(scenario.seed) HOURS=\(hours) FAULTS=\(faults.map(String.init).joined(separator: ","))"
        }
    }

    struct Report {
        var scenarioCount = 0
        var channelDays = 0.0
        var stepCount = 0
        var seconds = 0.0
        var failures: [Failure] = []
    }

    /// For how long.
    let seconds: Double
    /// Of each scenario.
    let hours: Double
    let firstSeed: UInt64
    var scenarioLimit = UInt64.max
    let failureLimit: Int

    /// Runs until time is over, all scenarios are done or enough has failed; one worker for each core.
    func run() -> Report {
        let report = Mutex(Report())
        let next = Atomic<UInt64>(firstSeed)
        let begin = HostClock.system.steady()
        let end = begin + .seconds(seconds)
        DispatchQueue.concurrentPerform(iterations: ProcessInfo.processInfo.activeProcessorCount) { _ in
            while HostClock.system.steady() < end, report.withLock({ $0.failures.count }) < failureLimit {
                let seed = next.wrappingAdd(1, ordering: .relaxed).oldValue
                if seed - firstSeed >= scenarioLimit { return }
                let scenario = Scenario(seed: seed, hours: hours)
                var simulation = Simulation(scenario)
                let findings = simulation.run()
                let steps = simulation.stepCount
                let failure = findings.isEmpty ? nil : shrunk(scenario, findings)
                report.withLock {
                    $0.scenarioCount += 1
                    $0.channelDays += hours / 24
                    $0.stepCount += steps
                    if let failure { $0.failures.append(failure) }
                }
            }
        }
        return report.withLock {
            $0.seconds = (HostClock.system.steady() - begin) / .seconds(1)
            return $0
        }
    }

    /// Takes out one fault after the other, as long as it still fails.
    private func shrunk(_ scenario: Scenario, _ findings: [String]) -> Failure {
        var failure = Failure(
            scenario: scenario, faults: Array(scenario.faults.indices), findings: findings,
            hours: hours)
        for fault in scenario.faults.indices {
            var trial = scenario
            let faults = failure.faults.filter { $0 != fault }
            trial.keep(faults)
            var simulation = Simulation(trial)
            let found = simulation.run()
            if !found.isEmpty {
                (failure.scenario, failure.faults, failure.findings) = (trial, faults, found)
            }
        }
        return failure
    }
}

extension Search.Report: CustomStringConvertible {
    var description: String {
        let sum = String(
            format: "simulator: %d scenarios, %.1f channel-days in %.0f s, %d steps, %d failed",
            scenarioCount,
            channelDays, seconds, stepCount, failures.count)
        return (failures.map(\.description) + [sum]).joined(separator: "\n")
    }
}

extension Search.Failure: CustomStringConvertible {
    var description: String {
        "\(scenario)\n" + findings.prefix(6).map { "  \($0)\n" }.joined()
            + "  again: make simulate \(arguments)"
    }
}
