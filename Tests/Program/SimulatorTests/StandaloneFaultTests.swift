import Catalogue
import Testing
import Timeline

@testable import Simulator

/// One source with right dates and exact durations, one node, and one fault.
@Suite("Simulated gaps that are filled later, and simulated dates that jump ahead")
struct StandaloneFaultTests {
    private static func scenario(_ kind: Fault.Kind, seed: UInt64) -> Scenario {
        var scenario = Scenario(seed: seed, hours: 0.5)
        (scenario.nodeCount, scenario.encoders) = (1, [scenario.encoders[0]])
        (scenario.encoders[0].dates, scenario.encoders[0].dateError) = (.right, 0)
        (scenario.encoders[0].statedDurations, scenario.encoders[0].listed) = (.exact, 10)
        (scenario.encoders[0].steps, scenario.encoders[0].discontinuityDistance) = ([:], nil)
        let begin = Scenario.begin + 400_000_000
        let span = TimeWindow(begin: begin, end: begin + 3 * scenario.encoders[0].duration)
        scenario.faults = [Fault(kind: kind, place: 0, span: span)]
        return scenario
    }

    /// A scenario whose gaps are listed without the tag after so many segments.
    private static func gaps(filledAfter count: Int64, seed: UInt64) -> Scenario {
        var scenario = Self.scenario(.gap, seed: seed)
        scenario.faults[0].amount = count * scenario.encoders[0].duration
        return scenario
    }

    private static func jump(by seconds: Int64, seed: UInt64) -> Scenario {
        var scenario = Self.scenario(.dateJump, seed: seed)
        scenario.faults[0].amount = seconds * 1_000_000
        return scenario
    }

    /// A simulation that has run, and found nothing wrong.
    private static func recording(_ scenario: Scenario) -> Simulation {
        var simulation = Simulation(scenario)
        let findings = simulation.run()
        #expect(findings.isEmpty, "\(scenario): \(findings.first ?? "")")
        return simulation
    }

    @Test(
        "What is listed without the tag later is held, else it is missing as a gap",
        arguments: [1, 4, 100] as [Int64])
    func gaps(count: Int64) {
        for seed in UInt64(1)...4 {
            let scenario = Self.gaps(filledAfter: count, seed: seed)
            let simulation = Self.recording(scenario)
            #expect(simulation.catalogue.losses.contains { $0.reason == .sourceGap })
            let isHeld = simulation.catalogue.rows.values.joined().contains { $0.number == nil }
            #expect(isHeld == (count < 100), "\(scenario)")
        }
    }

    @Test("The timeline follows dates that jump", arguments: [60, 172_800] as [Int64])
    func jumps(seconds: Int64) {
        for seed in UInt64(1)...4 {
            let scenario = Self.jump(by: seconds, seed: seed)
            let simulation = Self.recording(scenario)
            #expect(simulation.catalogue.losses.contains { $0.reason == .sourceJump })
        }
    }

    // MARK: The checks

    @Test("Media of a gap that are left out are found")
    func leftOut() {
        let scenario = Self.gaps(filledAfter: 4, seed: 1)
        let simulation = Self.recording(scenario)
        let rows = simulation.catalogue.rows.mapValues { $0.filter { $0.number != nil } }
        let checker = RecordingChecker(scenario: scenario, encoders: simulation.encoders, rows: rows)
        #expect(checker.findings.contains { $0.contains("is missing") })
    }

    @Test("A jump that is not followed is found, and one with a wrong reason")
    func notFollowed() {
        let scenario = Self.jump(by: 172_800, seed: 1)
        let simulation = Self.recording(scenario)
        var checker = simulation.checker
        for index in checker.losses.indices { checker.losses[index].reason = .sourceStalled }
        #expect(checker.findings.contains { $0.contains("it is said: source_stalled, not: source_jump") })
        let rows = simulation.catalogue.rows.mapValues { rows in
            rows.map { row in
                var row = row
                if row.fact.start > scenario.end { row.fact.start = row.fact.start - 172_800_000_000 }
                return row
            }
        }
        let without = RecordingChecker(scenario: scenario, encoders: simulation.encoders, rows: rows)
        #expect(without.findings.contains { $0.contains("s off") })
    }
}
