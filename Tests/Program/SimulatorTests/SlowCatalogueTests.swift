import Testing
import Timeline

@testable import Simulator

@Suite("A simulated PostgreSQL that is slow")
struct SlowCatalogueTests {
    private static let begin = Scenario.begin + 400_000_000

    /// One node whose PostgreSQL is late for minutes.
    private static func scenario(lateBy amount: Int64, seed: UInt64) -> Scenario {
        var scenario = Scenario(seed: seed, hours: 0.5)
        (scenario.nodeCount, scenario.encoders) = (1, [scenario.encoders[0]])
        let span = TimeWindow(begin: begin, end: begin + 300_000_000)
        scenario.faults = [Fault(kind: .catalogueSlow, place: 0, span: span, amount: amount)]
        return scenario
    }

    @Test(
        "costs no segment, whatever it answers late or not at all",
        arguments: [100_000, 2_000_000, 20_000_000] as [Int64])
    func slow(amount: Int64) {
        for seed in UInt64(1)...4 {
            let scenario = Self.scenario(lateBy: amount, seed: seed)
            var simulation = Simulation(scenario)
            let findings = simulation.run()
            #expect(findings.isEmpty, "\(scenario): \(findings.first ?? "")")
        }
    }

    @Test("has done what it does not answer: the same batch comes once more")
    func lost() {
        final class Lines { var all: [String] = [] }
        let lines = Lines()
        let scenario = Self.scenario(lateBy: 2_000_000, seed: 1)
        var simulation = Simulation(scenario) { lines.all.append($0) }
        #expect(simulation.run().isEmpty)
        #expect(lines.all.contains { $0.contains("The catalogue does not take facts") })
        #expect(simulation.catalogue.repeatedCount > 0)
    }

    @Test("keeps a process that begins meanwhile waiting for its lease")
    func lease() {
        for seed in UInt64(1)...4 {
            var scenario = Self.scenario(lateBy: 8_000_000, seed: seed)
            let killed = TimeWindow(begin: Self.begin + 60_000_000, end: Self.begin + 70_000_000)
            scenario.faults.append(Fault(kind: .killed, place: 0, span: killed))
            var simulation = Simulation(scenario)
            let findings = simulation.run()
            #expect(findings.isEmpty, "\(scenario): \(findings.first ?? "")")
        }
    }

    @Test("is as late as it is said to be, and only then")
    func lateness() {
        var simulation = Simulation(Self.scenario(lateBy: 20_000_000, seed: 1))
        #expect(simulation.lateness() == 0)
        simulation.now = Self.begin
        for _ in 0..<100 { #expect((100_000...20_000_000).contains(simulation.lateness())) }
    }
}
