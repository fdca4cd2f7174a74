import Catalogue
import Recorder
import Testing
import Timeline

@testable import Simulator

@Suite("Simulated recording")
struct SimulatorTests {
    /// `make simulate` looks for others.
    @Test("holds what must hold in as many scenarios as a minute allows")
    func search() {
        let report = Search(seconds: 60, hours: 1, firstSeed: 1, failureLimit: 1).run()
        print(report)
        #expect(report.failures.isEmpty, "\(report)")
        #expect(report.scenarioCount > 0)
    }

    @Test("gives the same scenario and the same steps for a seed")
    func seeds() {
        let steps = (0..<2).map { _ in
            var simulation = Simulation(Scenario(seed: 42, hours: 0.5))
            _ = simulation.run()
            return simulation.stepCount
        }
        #expect(steps[0] == steps[1])
        #expect(Scenario(seed: 42, hours: 1).description != Scenario(seed: 43, hours: 1).description)
    }

    @Test("comes through the scenarios that once failed", arguments: FoundScenario.all)
    func found(_ found: FoundScenario) {
        var simulation = Simulation(found.scenario)
        let findings = simulation.run()
        #expect(findings.isEmpty, "\(found.scenario): \(findings.first ?? "")")
    }

    /// A fault of each kind, alone and long enough to be noticed.
    @Test("comes through each fault alone", arguments: Fault.Kind.allCases)
    func faults(kind: Fault.Kind) {
        for seed in UInt64(1)...3 {
            var scenario = Scenario(seed: seed, hours: 0.5)
            if [.keyServerUnreachable, .wrongKey].contains(kind) {
                scenario.encoders[0].keys = Encoder.Keys(period: 5, hasExplicitIV: seed == 2)
            }
            if Fault.Kind.standalone.contains(kind) {
                scenario.encoders = [scenario.encoders[0]]
                (scenario.encoders[0].dates, scenario.encoders[0].dateError) = (.right, 0)
                scenario.encoders[0].statedDurations = .exact
            }
            let begin = Scenario.begin + 400_000_000
            scenario.faults = [
                Fault(
                    kind: kind, place: 0, span: TimeWindow(begin: begin, end: begin + 25_000_000),
                    amount: kind == .jump ? 50 : kind == .dateJump ? 60_000_000 : 10_000_000)
            ]
            var simulation = Simulation(scenario)
            let findings = simulation.run()
            #expect(findings.isEmpty, "\(scenario): \(findings.first ?? "")")
        }
    }
}

/// Renditions whose numbers, or cuts, say nothing of each other.
@Suite("Simulated renditions that are out of step")
struct SimulatedStepTests {
    /// Three renditions of six-second segments without dates; the second one counts `numbers` more than the
    /// first.
    private static func scenario(numbers: Int64, later: Int64, seed: UInt64) -> Scenario {
        var scenario = Scenario(seed: seed, hours: 0.5)
        (scenario.faults, scenario.nodeCount, scenario.encoders) = ([], 1, [scenario.encoders[0]])
        let (video, audio) = (RenditionID(kind: .video, index: 1), RenditionID(kind: .audio, index: 0))
        scenario.encoders[0].renditions = [RenditionID(kind: .video, index: 0), video, audio]
        (scenario.encoders[0].dates, scenario.encoders[0].dateError) = (.none, 0)
        (scenario.encoders[0].statedDurations, scenario.encoders[0].duration) = (.exact, 6_000_000)
        scenario.encoders[0].firstNumber = 1000
        scenario.encoders[0].discontinuityDistance = nil
        scenario.encoders[0].steps = [
            video: Encoder.Step(numbers: numbers), audio: Encoder.Step(numbers: -numbers, later: later),
        ]
        return scenario
    }

    @Test(
        "lie where the same media of the first one lie", arguments: [-2, -1, 1, 2] as [Int64],
        [0, 3] as [Int64])
    func misalignedSegments(numbers: Int64, later: Int64) {
        for seed in UInt64(1)...3 {
            let scenario = Self.scenario(numbers: numbers, later: later * 1_000_000, seed: seed)
            var simulation = Simulation(scenario)
            let findings = simulation.run()
            #expect(findings.isEmpty, "\(scenario): \(findings.first ?? "")")
        }
    }

    @Test("are found where they lie at the other's numbers")
    func check() {
        let scenario = Self.scenario(numbers: 1, later: 0, seed: 1)
        var simulation = Simulation(scenario)
        #expect(simulation.run().isEmpty)
        var rows = simulation.catalogue.rows
        let video = RenditionID(kind: .video, index: 1)
        rows[video] = rows[video]?.map { row in
            var row = row
            row.fact.start = row.fact.start + 6_000_000
            return row
        }
        let checker = RecordingChecker(scenario: scenario, encoders: simulation.encoders, rows: rows)
        #expect(checker.findings.contains { $0.contains("off from the same media of v0") })
    }
}

/// Sources that package the same media: the second one lists them later.
@Suite("Simulated changes of source")
struct SimulatedJoinTests {
    @Test(
        "repeat nothing and make no false hole, whatever the latencies and dates",
        arguments: Encoder.Dates.allCases.filter { $0 != .wrongZone }, [0, 8, 25] as [Int64])
    func joins(dates: Encoder.Dates, latency: Int64) {
        for (seed, other) in zip(UInt64(1)..., Encoder.Dates.allCases.filter { $0 != .wrongZone }) {
            var scenario = Scenario(seed: seed, hours: 0.5)
            scenario.nodeCount = 1
            scenario.encoders = [scenario.encoders[0], scenario.encoders[0]]
            for place in 0...1 {
                scenario.encoders[place].statedDurations = .exact
                scenario.encoders[place].dateError = 0
                scenario.encoders[place].listed = 10
                scenario.encoders[place].dates = place == 0 ? dates : other
                scenario.encoders[place].latency = place == 0 ? 500_000 : latency * 1_000_000
            }
            scenario.encoders[1].sharesFirstMedia = true
            scenario.encoders[1].firstNumber += 77
            let begin = Scenario.begin + 400_000_000
            scenario.faults = [
                Fault(
                    kind: .sourceUnreachable, place: 0,
                    span: TimeWindow(begin: begin, end: begin + 200_000_000))
            ]
            var simulation = Simulation(scenario)
            let findings = simulation.run()
            #expect(findings.isEmpty, "\(scenario): \(findings.first ?? "")")
            #expect(simulation.recordedSources == [0, 1])
        }
    }

    @Test("repeat nothing where the other source first lists what is recorded, for several playlists")
    func behind() {
        for dates in [Encoder.Dates.right, .none] {
            var scenario = Scenario(seed: 1, hours: 0.4)
            scenario.nodeCount = 1
            scenario.encoders = [scenario.encoders[0], scenario.encoders[0]]
            for place in 0...1 {
                scenario.encoders[place].statedDurations = .exact
                scenario.encoders[place].dates = dates
                scenario.encoders[place].dateError = 0
                scenario.encoders[place].listed = 10
                scenario.encoders[place].latency = place == 0 ? 500_000 : 12_000_000
            }
            scenario.encoders[1].sharesFirstMedia = true
            let begin = Scenario.begin + 400_000_000
            scenario.faults = [
                Fault(kind: .missing, place: 0, span: TimeWindow(begin: begin, end: begin + 25_000_000))
            ]
            var simulation = Simulation(scenario)
            let findings = simulation.run()
            #expect(findings.isEmpty, "\(scenario): \(findings.first ?? "")")
        }
    }
}

/// The second source has what the first one lacks.
@Suite("Simulated repairs")
struct SimulatedRepairTests {
    @Test(
        "fill a hole from another source of the same media, with or without dates",
        arguments: [Encoder.Dates.right, .none], [0, 4, 12] as [Int64])
    func repairs(dates: Encoder.Dates, latency: Int64) {
        for seed in UInt64(1)...4 {
            var scenario = Scenario(seed: seed, hours: 0.4)
            scenario.nodeCount = 1
            scenario.encoders = [scenario.encoders[0], scenario.encoders[0]]
            for place in 0...1 {
                scenario.encoders[place].statedDurations = .exact
                scenario.encoders[place].dates = dates
                scenario.encoders[place].dateError = 0
                scenario.encoders[place].listed = 10
                scenario.encoders[place].latency = place == 0 ? 500_000 : latency * 1_000_000
            }
            scenario.encoders[1].sharesFirstMedia = true
            scenario.encoders[1].firstNumber += 33
            let begin = Scenario.begin + 400_000_000
            scenario.faults = [
                Fault(kind: .missing, place: 0, span: TimeWindow(begin: begin, end: begin + 25_000_000))
            ]
            var simulation = Simulation(scenario)
            let findings = simulation.run()
            #expect(findings.isEmpty, "\(scenario): \(findings.first ?? "")")
            #expect(simulation.recordedSources == [0, 1])
            for rows in simulation.catalogue.rows.values {
                let holes = zip(rows, rows.dropFirst()).map { $1.fact.start - $0.fact.end }
                #expect((holes.max() ?? 0) < scenario.encoders[0].duration / 2, "\(scenario)")
            }
        }
    }
}

/// A check that finds nothing wrong in what is wrong would prove nothing.
@Suite("The checks of the simulator")
struct SimulatorCheckTests {
    private static func recorded() -> (scenario: Scenario, simulation: Simulation) {
        var scenario = Scenario(seed: 1, hours: 0.4)
        (scenario.faults, scenario.nodeCount) = ([], 1)
        scenario.encoders = [scenario.encoders[0]]
        var simulation = Simulation(scenario)
        #expect(simulation.run().isEmpty)
        return (scenario, simulation)
    }

    private static func findings(_ change: (inout [SimulatedCatalogue.Row]) -> Void) -> [String] {
        let (scenario, simulation) = recorded()
        var rows = simulation.catalogue.rows
        for id in rows.keys { change(&rows[id, default: []]) }
        return RecordingChecker(scenario: scenario, encoders: simulation.encoders, rows: rows).findings
    }

    @Test("find a segment that is missing")
    func missing() {
        #expect(Self.findings { $0.remove(at: $0.count / 2) }.contains { $0.contains("is missing") })
    }

    @Test("find a segment that is held twice")
    func twice() {
        let findings = Self.findings { rows in
            var row = rows[rows.count - 1]
            row.fact.start = row.fact.end
            rows.append(row)
        }
        #expect(findings.contains { $0.contains("held twice") })
    }

    @Test("find a segment that lies at another time")
    func displaced() {
        let findings = Self.findings { rows in
            for index in rows.indices { rows[index].fact.start = rows[index].fact.start + 3_600_000_000 }
        }
        #expect(findings.contains { $0.contains("s off") })
    }

    @Test("find a segment of which playlists say another duration than its media have")
    func wrongDurations() {
        let findings = Self.findings { rows in
            rows[rows.count / 2].fact.flags.insert(.measuredDuration)
            rows[rows.count / 2].fact.measuredDuration = 1
        }
        #expect(findings.contains { $0.contains("EXTINF") })
    }

    @Test("find a segment of which a part was kept")
    func part() {
        let findings = Self.findings { rows in
            let index = rows.count / 2
            rows[index].fact.digest.append(1)
        }
        #expect(findings.contains { $0.contains("is a part") })
    }

    @Test("find a segment that another initialization vector has garbled, and one that is damaged unsaid")
    func wrongBytes() {
        let findings = Self.findings { rows in
            rows[rows.count / 2].fact.digest.append(Media.Condition.garbled.rawValue)
            rows[rows.count / 3].fact.digest.append(Media.Condition.damaged.rawValue)
        }
        #expect(findings.contains { $0.contains("not deciphered") })
        #expect(findings.contains { $0.contains("not said to be damaged") })
    }

    @Test("find a boundary of the source that is missing, and one that it has not")
    func boundaries() {
        var (scenario, _) = Self.recorded()
        scenario.encoders[0].discontinuityDistance = 97_000_000
        var simulation = Simulation(scenario)
        #expect(simulation.run().isEmpty)
        for (change, words) in [(0, "without the boundary"), (1, "a boundary that its source has not")] {
            var rows = simulation.catalogue.rows
            for id in rows.keys {
                for index in rows[id, default: []].indices {
                    rows[id]?[index].discontinuitySequence = Int32(change * index)
                }
            }
            let checker = RecordingChecker(scenario: scenario, encoders: simulation.encoders, rows: rows)
            #expect(checker.findings.contains { $0.contains(words) })
        }
    }

    @Test("find a gap with a wrong reason")
    func wrongGapReasons() {
        var scenario = Scenario(seed: 1, hours: 0.5)
        (scenario.nodeCount, scenario.encoders) = (1, [scenario.encoders[0]])
        let begin = Scenario.begin + 400_000_000
        scenario.faults = [
            Fault(
                kind: .missing, place: 0, span: TimeWindow(begin: begin, end: begin + 40_000_000))
        ]
        var simulation = Simulation(scenario)
        #expect(simulation.run().isEmpty)
        var checker = simulation.checker
        #expect(!checker.losses.isEmpty)
        for index in checker.losses.indices { checker.losses[index].reason = .diskFull }
        #expect(checker.findings.contains { $0.contains("it is said: disk_full, not: segment_missing") })
    }

    @Test("find a marker that is missing, one that stands twice and one at another time")
    func markers() {
        var (scenario, _) = Self.recorded()
        scenario.encoders[0].hasMarkers = true
        scenario.encoders[0].dates = .right
        var simulation = Simulation(scenario)
        #expect(simulation.run().isEmpty)
        var checker = simulation.checker
        let held = checker.markers
        #expect(held.count > 3)
        checker.markers = Array(held.dropFirst(2)) + [held[2]]
        checker.markers[1].begin = held[3].begin + 100_000_000
        for word in ["is missing", "is held 2 times", "s off"] {
            #expect(checker.findings.contains { $0.contains("marker") && $0.contains(word) })
        }
    }

    @Test("find a published segment whose number leaves one out, or whose bytes are not there")
    func published() {
        let id = RenditionID(kind: .video, index: 0)
        var archive = SimulatedArchive()
        var catalogue = SimulatedCatalogue()
        let lease = catalogue.takeLease(0, at: Scenario.begin, takesOver: true)
        func commit(_ number: Int64, at second: Int64, isStored: Bool) {
            let start = Scenario.begin + second * 1_000_000
            guard let lease, let channel = ChannelID("c") else { return }
            let fact = SegmentFact(
                channel: channel, identity: SegmentIdentity(rendition: id, run: 1, number: second),
                start: start, duration: 2_000_000, format: SegmentFormat(container: .transportStream),
                storedBytes: 1, plainBytes: 1, arrived: start, digest: [UInt8(second)], fence: lease.fence)
            if isStored { _ = archive.commit(fact.digest, channel: channel, id, start: start) }
            var batch = Batch(
                channel: 1, fence: lease.fence,
                publishedHead: PublishedHeadUpdate(
                    discontinuitySequence: 0, end: fact.end, watermark: fact.end, targetSeconds: 2))
            batch.renditions = [RenditionDescription(id: id)]
            batch.segments = [DecidedSegment(fact: fact, number: number, discontinuitySequence: 0)]
            _ = catalogue.commit(batch, archive: archive)
        }
        commit(0, at: 0, isStored: true)
        commit(1, at: 2, isStored: true)
        #expect(catalogue.findings.isEmpty)
        commit(3, at: 4, isStored: true)
        #expect(catalogue.findings.count == 1)
        commit(4, at: 6, isStored: false)
        #expect(catalogue.findings.count == 2)
        commit(4, at: 3, isStored: true)
        #expect(catalogue.findings.contains { $0.contains("begins") })
    }
}

extension Simulation {
    /// The sources that something is held of.
    fileprivate var recordedSources: Set<Int> {
        Set(catalogue.rows.values.joined().map { Media.source($0.fact.digest).source })
    }
}
