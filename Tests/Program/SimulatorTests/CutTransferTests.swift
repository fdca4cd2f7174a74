import Testing
import Timeline

@testable import Simulator

/// One source, one node, and transfers that are cut.
@Suite("Simulated transfers that are cut")
struct CutTransferTests {
    private static let begin = Scenario.begin + 400_000_000

    /// Transfers are cut for some seconds; then comes another fault.
    private static func scenario(_ kind: Fault.Kind?, for length: Int64, seed: UInt64) -> Scenario {
        var scenario = Scenario(seed: seed, hours: 0.5)
        (scenario.nodeCount, scenario.encoders) = (1, [scenario.encoders[0]])
        let duration = scenario.encoders[0].duration
        scenario.encoders[0].listed = 5
        (scenario.encoders[0].steps, scenario.encoders[0].discontinuityDistance) = ([:], nil)
        let cut = TimeWindow(begin: begin, end: begin + duration)
        scenario.faults = [Fault(kind: .cut, place: 0, span: cut)]
        if let kind {
            let span = TimeWindow(begin: cut.end, end: cut.end + length)
            scenario.faults.append(Fault(kind: kind, place: 0, span: span))
        }
        return scenario
    }

    /// The source is away from when the first transfer has begun that brings half of a segment or more.
    @Test("leave what came where the source is away until its list has it no longer")
    func away() {
        var partCount = 0
        for seed in UInt64(1)...12 {
            var scenario = Self.scenario(nil, for: 0, seed: seed)
            var former = Simulation(scenario)
            _ = former.run()
            guard let began = former.firstPartBegan else { continue }
            let span = TimeWindow(begin: began + 1, end: began + 200_000_000)
            scenario.faults.append(Fault(kind: .sourceUnreachable, place: 0, span: span))
            var simulation = Simulation(scenario)
            let findings = simulation.run()
            #expect(findings.isEmpty, "\(scenario): \(findings.first ?? "")")
            partCount += simulation.catalogue.rows.values.joined().count {
                Media.condition($0.shownDigest) == .cut
            }
        }
        #expect(partCount > 6)
    }

    @Test("cost nothing where the source still has the segments")
    func there() {
        for seed in UInt64(1)...12 {
            let scenario = Self.scenario(nil, for: 0, seed: seed)
            var simulation = Simulation(scenario)
            let findings = simulation.run()
            #expect(findings.isEmpty, "\(scenario): \(findings.first ?? "")")
            let rows = simulation.catalogue.rows.values.joined()
            #expect(!rows.contains { Media.condition($0.shownDigest) == .cut }, "\(scenario)")
        }
    }

    @Test("do not mix a segment with that of an encoder that begins again under the same names")
    func restarted() {
        for seed in UInt64(1)...12 {
            var scenario = Self.scenario(.restart, for: Int64(seed % 5) * 3_000_000, seed: seed)
            (scenario.encoders[0].namesFollowNumbers, scenario.encoders[0].keys) = (true, nil)
            // It has begun a little before that, too: so the names come again at once.
            let former = Self.begin - Int64(2 + seed % 4) * scenario.encoders[0].duration
            scenario.faults.insert(
                Fault(kind: .restart, place: 0, span: TimeWindow(begin: former, end: former + 1_000_000)),
                at: 0)
            var simulation = Simulation(scenario)
            let findings = simulation.run()
            #expect(findings.isEmpty, "\(scenario): \(findings.first ?? "")")
        }
    }
}
