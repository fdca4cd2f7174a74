import ArgumentParser

/// Runs scenarios on every core until time is over or one fails, or one scenario again.
@main
struct Simulator: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulator",
        abstract:
            "Records channels with simulated clocks, sources, disks and PostgreSQL, and checks the result.")

    @Option(help: "Seconds to look for scenarios that fail.")
    var seconds = 60.0

    @Option(help: "Simulated hours of each scenario.")
    var hours = 3.0

    @Option(help: "The seed of the first scenario; the others follow.")
    var seed: UInt64 = 1

    @Option(help: "Failed scenarios after which to stop.")
    var failures = 1

    @Option(help: "Runs the scenario of this seed only.")
    var scenario: UInt64?

    @Option(help: "With --scenario: the faults to keep, as numbers separated by commas.")
    var faults: String?

    @Flag(help: "With --scenario: prints what the recorder logs, and where it placed what it holds.")
    var trace = false

    func run() throws {
        if let scenario { try replay(scenario) } else { try search() }
    }

    private func replay(_ seed: UInt64) throws {
        var scenario = Scenario(seed: seed, hours: hours)
        if let faults { scenario.keep(faults.split(separator: ",").compactMap { Int($0) }) }
        print(scenario)
        var simulation = Simulation(scenario, trace: trace ? { print($0) } : nil)
        let findings = simulation.run()
        if trace { simulation.checker.placements.forEach { print($0) } }
        for finding in findings { print("  \(finding)") }
        print("\(findings.count) findings in \(simulation.stepCount) steps")
        if !findings.isEmpty { throw ExitCode.failure }
    }

    private func search() throws {
        let report = Search(seconds: seconds, hours: hours, firstSeed: seed, failureLimit: failures).run()
        print(report)
        if !report.failures.isEmpty { throw ExitCode.failure }
    }
}
