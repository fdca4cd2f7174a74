import Testing
import Timeline

@testable import Simulator

@Suite("The checks of the simulator with two sources or two nodes")
struct SeveralSourcesTests {
    /// Two sources, of which something is wrong with the second one only, and a disk that is full meanwhile.
    private static func recorded(nodes: Int = 1) -> (scenario: Scenario, simulation: Simulation) {
        var scenario = Scenario(seed: 1, hours: 0.5)
        var encoder = scenario.encoders[0]
        (encoder.dates, encoder.dateError, encoder.statedDurations) = (.right, 0, .exact)
        (encoder.steps, encoder.discontinuityDistance) = ([:], nil)
        (scenario.nodeCount, scenario.encoders) = (nodes, [encoder, encoder])
        let away = TimeWindow(begin: Scenario.begin + 300_000_000, end: Scenario.begin + 340_000_000)
        let full = TimeWindow(begin: Scenario.begin + 600_000_000, end: Scenario.begin + 800_000_000)
        scenario.faults = [
            Fault(kind: .sourceUnreachable, place: 1, span: away),
            Fault(kind: .diskFull, place: 0, span: full),
        ]
        var simulation = Simulation(scenario)
        #expect(simulation.run().isEmpty)
        return (scenario, simulation)
    }

    @Test("find a segment of the source in use that is missing")
    func missing() {
        let (scenario, simulation) = Self.recorded()
        var rows = simulation.catalogue.rows
        for id in rows.keys {
            let index = rows[id]?.firstIndex { $0.fact.start > Scenario.begin + 310_000_000 }
            if let index { rows[id]?.remove(at: index) }
        }
        let checker = RecordingChecker(
            scenario: scenario, encoders: simulation.encoders, rows: rows, losses: simulation.catalogue.losses
        )
        #expect(checker.findings.contains { $0.contains("is missing") })
    }

    @Test("find a gap with a wrong reason", arguments: [1, 2])
    func wrongGapReasons(nodes: Int) {
        var checker = Self.recorded(nodes: nodes).simulation.checker
        #expect(checker.losses.contains { $0.reason == .diskFull })
        for index in checker.losses.indices { checker.losses[index].reason = .sourceEnded }
        #expect(checker.findings.contains { $0.contains("it is said: source_ended, not: disk_full") })
    }
}
