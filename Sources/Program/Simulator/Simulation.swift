import Catalogue
import Concurrency
import HTTP
import Journal
import Recorder
import Timeline

/// Runs a scenario: recorder processes with simulated clocks, sources, disks and PostgreSQL.
///
/// Nothing waits in real time, and the seed decides all random choices.
struct Simulation {
    enum SimulationEvent {
        case start(node: Int, generation: Int)
        /// The answer to a process that asked for the lease; nil when it is lost.
        case leaseAnswered(Lease??, node: Int, generation: Int)
        case recording(RecordingEvent, node: Int, generation: Int)
        /// A segment's bytes become durable.
        case stored(StoredSegment, SegmentRequest, node: Int, generation: Int)
        /// A segment's bytes become durable as they came.
        case kept(Int, source: Int, SegmentRequest, node: Int, generation: Int)
        /// A segment that waits for its key is tried with one.
        case opened(KeyPendingSegment, SourceUse, node: Int, generation: Int)
        case appended(node: Int, generation: Int)
        case commit(Batch, node: Int, generation: Int)
        case wake(node: Int, generation: Int)
        /// A process that records without PostgreSQL asks it for the lease.
        case askForLease(node: Int, generation: Int)
        case heartbeat(node: Int)
        case kill(node: Int)

        /// The process of the event, which is dropped if the process has another generation by then.
        ///
        /// Nil for an event that happens in any case.
        var process: (node: Int, generation: Int)? {
            switch self {
            case .start(let node, let generation), .leaseAnswered(_, let node, let generation),
                .recording(_, let node, let generation),
                .stored(_, _, let node, let generation), .kept(_, _, _, let node, let generation),
                .opened(_, _, let node, let generation), .appended(let node, let generation),
                .wake(let node, let generation), .askForLease(let node, let generation):
                (node, generation)
            case .commit, .heartbeat, .kill: nil
            }
        }
    }

    let scenario: Scenario
    let channel: Channel
    var encoders: [Encoder]
    var nodes: [SimulatedNode]
    var catalogue = SimulatedCatalogue()
    var archive = SimulatedArchive()
    var queue = EventQueue<SimulationEvent>()
    var chance: SeededRandomNumberGenerator
    var now = Scenario.begin
    /// Segments of the first source of which a transfer brought the beginning.
    var partsOfFirst: [RenditionID: Set<Int>] = [:]
    /// When the first of those transfers began.
    var firstPartBegan: Instant?
    private(set) var isStopping = false
    private(set) var stepCount = 0
    /// The URLs of the sources.
    let sources: [String]
    let bases: [HTTPURL]
    /// Tells what the recorder logs, with the time.
    let trace: ((String) -> Void)?

    static let steadyStart = HostClock.system.steady()

    init(_ scenario: Scenario, trace: ((String) -> Void)? = nil) {
        self.scenario = scenario
        self.trace = trace
        chance = SeededRandomNumberGenerator(seed: scenario.seed &+ 77)
        encoders = scenario.encoders.enumerated().map { Encoder($1, index: $0, scenario: scenario) }
        nodes = (0..<scenario.nodeCount).map { SimulatedNode(index: $0) }
        let urls = encoders.map { Self.url(of: $0.index) }
        sources = urls
        bases = urls.compactMap { try? HTTPURL($0) }
        let listed = urls.enumerated().map { SourceSettings(url: $1, priority: $0) }
        var settings = ChannelSettings(
            id: Self.channel, title: "", sources: listed, retentionSeconds: nil)
        settings.clock = scenario.clock
        channel = Channel(row: 1, settings: settings, version: 1)
    }

    static let channel = ["simulated"].compactMap(ChannelID.init)[0]

    private static func url(of source: Int) -> String { "http://source\(source).test/index.m3u8" }

    /// Runs to the end; returns the errors that were found.
    mutating func run() -> [String] {
        for node in nodes.indices {
            queue.add(.start(node: node, generation: 0), at: now + Int64(node) * 200_000)
            if nodes.count > 1 { queue.add(.heartbeat(node: node), at: now) }
        }
        for fault in scenario.faults where fault.kind == .killed {
            queue.add(.kill(node: fault.place), at: fault.span.begin)
        }
        proceed(until: scenario.end)
        stop()
        guard catalogue.findings.isEmpty else { return catalogue.findings }
        return checker.findings
    }

    /// What was recorded, beside what the encoders made.
    var checker: RecordingChecker {
        RecordingChecker(
            scenario: scenario, encoders: encoders, rows: catalogue.rows, losses: catalogue.losses,
            markers: catalogue.markers, refused: Set(nodes.flatMap(\.refused)), partsOfFirst: partsOfFirst)
    }

    private mutating func proceed(until end: Instant) {
        while catalogue.findings.isEmpty, let (time, happening) = queue.next(until: end) {
            now = max(now, time)
            stepCount += 1
            take(happening)
        }
        now = max(now, end)
    }

    /// What is under way is finished, and what waits in journals is entered.
    private mutating func stop() {
        isStopping = true
        for node in nodes.indices { handle(.stopRequested, node) }
        proceed(until: now + 30_000_000)
        for node in nodes.indices {
            // What waits for its key stays in the journal.
            while enterUnowned(node) {}
        }
    }

    private mutating func take(_ happening: consuming SimulationEvent) {
        if let (node, generation) = happening.process {
            guard isCurrent(node, generation) else { return }
            if case .wake = happening, nodes[node].wait != now { return }
            if postpone(happening, node) { return }
        }
        switch consume happening {
        case .start(let node, _): start(node)
        case .leaseAnswered(let answer, let node, _): leaseAnswered(answer, node)
        case .recording(let event, let node, _): handle(event, node)
        case .stored(let stored, let request, let node, _): store(stored, request, node)
        case .kept(let index, let source, let request, let node, _):
            kept(index, of: source, request, node)
        case .opened(let pending, let use, let node, _): opened(pending, use, node)
        case .appended(let node, _):
            let positions = nodes[node].journal.append(nodes[node].appending)
            nodes[node].resumePoint = nodes[node].resumePoint?.adding(nodes[node].appending)
            nodes[node].appending = []
            handle(.journalWritten(.success(positions)), node)
        case .commit(let batch, let node, let generation): commit(batch, node, generation)
        case .wake(let node, _):
            nodes[node].wait = nil
            handle(.clockAdvanced, node)
        case .askForLease(let node, _): askForLease(node)
        case .heartbeat(let node): heartbeat(node)
        case .kill(let node):
            nodes[node].crash(&chance)
            let end = scenario.fault(.killed, of: node, at: now)?.span.end ?? now
            queue.add(.start(node: node, generation: nodes[node].generation), at: end)
            trace?("\(time) node \(node) is killed")
        }
    }

    private func isCurrent(_ node: Int, _ generation: Int) -> Bool { nodes[node].generation == generation }

    /// A frozen process does nothing until it goes on.
    private mutating func postpone(_ happening: SimulationEvent, _ node: Int) -> Bool {
        guard let fault = scenario.fault(.frozen, of: node, at: now) else { return false }
        if case .wake = happening { nodes[node].wait = fault.span.end }
        queue.add(happening, at: fault.span.end)
        return true
    }

    func moment(_ node: Int, at instant: Instant) -> Moment {
        let step = scenario.fault(.clockStep, of: node, at: instant)?.amount ?? 0
        return Moment(
            date: instant + step, steady: Self.steadyStart + .microseconds(instant - Scenario.begin))
    }

    var time: String { "\(Double(now - Scenario.begin) / 1_000_000) s:" }
}

/// What happens next.
extension Simulation {
    mutating func handle(_ event: consuming RecordingEvent, _ node: Int) {
        let moment = moment(node, at: now)
        guard var actions = nodes[node].state?.handle(event, at: moment) else { return }
        // They are taken out, as copies of them cost more than what is done.
        if actions.count == 1, let action = actions.popLast() { return perform(action, node) }
        var later: [RecordingAction] = []
        later.reserveCapacity(actions.count)
        while let action = actions.popLast() { later.append(action) }
        while let action = later.popLast() { perform(action, node) }
    }

    mutating func happen(_ event: consuming RecordingEvent, _ node: Int, after delay: Int64) {
        queue.add(.recording(event, node: node, generation: nodes[node].generation), at: now + delay)
    }

    mutating func delay(_ range: ClosedRange<Int64>) -> Int64 {
        Int64.random(in: range, using: &chance)
    }
}
