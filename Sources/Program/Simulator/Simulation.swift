import Catalogue
import Concurrency
import HLS
import HTTP
import Journal
import Monitoring
import Recorder
import SegmentStore
import Timeline

/// Runs a scenario: recorder processes with simulated clocks, sources, disks and PostgreSQL.
///
/// Nothing waits for real, and nothing is left to chance that the seed does not decide.
struct Simulation {
    private enum Happening {
        case start(node: Int, life: Int)
        case recording(RecordingEvent, node: Int, life: Int)
        /// A segment's bytes become durable.
        case stored(StoredSegment, SegmentRequest, node: Int, life: Int)
        case appended(node: Int, life: Int)
        case commit(Batch, node: Int, life: Int)
        case wake(node: Int, life: Int)
        case heartbeat(node: Int)
        case kill(node: Int)
    }

    private let scenario: Scenario
    private let channel: Channel
    private(set) var encoders: [Encoder]
    private(set) var nodes: [SimulatedNode]
    private(set) var catalogue = SimulatedCatalogue()
    private var archive = SimulatedArchive()
    private var queue = EventQueue<Happening>()
    private var chance: SeededChance
    private var now = Scenario.begin
    private var isStopping = false
    private(set) var stepCount = 0
    /// Tells what the recorder logs, with the time.
    private let trace: ((String) -> Void)?

    private static let steadyBegin = HostClock.system.steady()

    init(_ scenario: Scenario, trace: ((String) -> Void)? = nil) {
        self.scenario = scenario
        self.trace = trace
        chance = SeededChance(seed: scenario.seed &+ 77)
        encoders = scenario.encoders.enumerated().map { Encoder($1, index: $0, scenario: scenario) }
        nodes = (0..<scenario.nodeCount).map { SimulatedNode(index: $0) }
        let sources = encoders.map { SourceSettings(url: Self.url(of: $0.index), priority: $0.index) }
        channel = Channel(
            row: 1,
            settings: ChannelSettings(id: Self.channel, title: "", sources: sources, retentionSeconds: nil),
            version: 1)
    }

    private static let channel = ["simulated"].compactMap(ChannelID.init)[0]

    private static func url(of source: Int) -> String { "http://source\(source).test/index.m3u8" }

    /// Runs to the end; gives what was not as it must be.
    mutating func run() -> [String] {
        for node in nodes.indices {
            queue.add(.start(node: node, life: 0), at: now + Int64(node) * 200_000)
            if nodes.count > 1 { queue.add(.heartbeat(node: node), at: now) }
        }
        for fault in scenario.faults where fault.kind == .killed {
            queue.add(.kill(node: fault.place), at: fault.span.begin)
        }
        proceed(until: scenario.end)
        stop()
        guard catalogue.findings.isEmpty else { return catalogue.findings }
        return Ledger(scenario: scenario, encoders: encoders, rows: catalogue.rows).findings
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
            while enterUnowned(node) {}
        }
    }

    private mutating func take(_ happening: Happening) {
        switch happening {
        case .start(let node, let life):
            guard isAlive(node, life), !postpone(happening, node) else { return }
            start(node)
        case .recording(let event, let node, let life):
            guard isAlive(node, life), !postpone(happening, node) else { return }
            handle(event, node)
        case .stored(let stored, let request, let node, let life):
            guard isAlive(node, life), !postpone(happening, node) else { return }
            store(stored, request, node)
        case .appended(let node, let life):
            guard isAlive(node, life), !postpone(happening, node) else { return }
            let positions = nodes[node].journal.append(nodes[node].appending)
            nodes[node].appending = []
            handle(.journalWritten(.success(positions)), node)
        case .commit(let batch, let node, let life): commit(batch, node, life)
        case .wake(let node, let life):
            guard isAlive(node, life), nodes[node].wait == now, !postpone(happening, node) else { return }
            nodes[node].wait = nil
            handle(.clockAdvanced, node)
        case .heartbeat(let node): heartbeat(node)
        case .kill(let node):
            nodes[node].die(&chance)
            let end = scenario.fault(.killed, of: node, at: now)?.span.end ?? now
            queue.add(.start(node: node, life: nodes[node].life), at: end)
            trace?("\(time) node \(node) is killed")
        }
    }

    private func isAlive(_ node: Int, _ life: Int) -> Bool { nodes[node].life == life }

    /// A frozen process does nothing until it goes on.
    private mutating func postpone(_ happening: Happening, _ node: Int) -> Bool {
        guard let fault = scenario.fault(.frozen, of: node, at: now) else { return false }
        if case .wake = happening { nodes[node].wait = fault.span.end }
        queue.add(happening, at: fault.span.end)
        return true
    }

    private func moment(_ node: Int, at instant: Instant) -> Moment {
        let step = scenario.fault(.clockStep, of: node, at: instant)?.amount ?? 0
        return Moment(
            date: instant + step, steady: Self.steadyBegin + .microseconds(instant - Scenario.begin))
    }

    /// The sources that something is held of.
    var recordedSources: Set<Int> {
        Set(catalogue.rows.values.joined().map { Media.source($0.fact.digest).source })
    }

    private var time: String { "\(Double(now - Scenario.begin) / 1_000_000) s:" }
}

/// Processes.
extension Simulation {
    private mutating func start(_ node: Int) {
        guard !isStopping else { return }
        guard isConnected(node) else { return startLater(node, failed: true) }
        guard let lease = catalogue.takeLease(node, at: now) else {
            _ = enterUnowned(node)
            return startLater(node, failed: false)
        }
        nodes[node].pause = 1_000_000
        nodes[node].lease = lease
        nodes[node].state = RecordingState(
            channel: channel, lease: lease, heads: catalogue.heads(), newestRun: catalogue.newestRun,
            at: moment(node, at: now), seed: chance.next())
        trace?("\(time) node \(node) records with fence \(lease.fence)")
        handle(.started, node)
    }

    private mutating func startLater(_ node: Int, failed: Bool) {
        if failed { nodes[node].pause = min(nodes[node].pause * 2, 5_000_000) }
        queue.add(
            .start(node: node, life: nodes[node].life), at: now + (failed ? nodes[node].pause : 1_000_000))
    }

    /// The journal of a node that does not record goes to the archive unpublished, part by part.
    private mutating func enterUnowned(_ node: Int) -> Bool {
        let lines = nodes[node].journal.read(after: nil, limit: 100)
        guard !lines.isEmpty else { return false }
        var batch = Batch(unpublishedIn: 1)
        for line in lines { batch.add(line.entry) }
        _ = catalogue.commit(batch, archive: archive)
        nodes[node].journal.trim(lines.map(\.position))
        return true
    }

    private mutating func handle(_ event: RecordingEvent, _ node: Int) {
        let moment = moment(node, at: now)
        guard let actions = nodes[node].state?.handle(event, at: moment) else { return }
        for action in actions { perform(action, node) }
    }

    private mutating func happen(_ event: RecordingEvent, _ node: Int, after delay: Int64) {
        queue.add(.recording(event, node: node, life: nodes[node].life), at: now + delay)
    }

    private mutating func perform(_ action: RecordingAction, _ node: Int) {
        let life = nodes[node].life
        switch action {
        case .fetchPlaylist(let request): answer(request, node)
        case .fetchSegment(let request): answer(request, node)
        case .probeSegment(let request): answer(request, node)
        case .openPendingSegment, .setPlaylistForm, .cancelFetches, .setAside: break
        case .journal(let entries):
            nodes[node].appending = entries
            queue.add(.appended(node: node, life: life), at: now + delay(1_000...8_000))
        case .readJournal(let position, let limit):
            let lines = nodes[node].journal.read(after: position, limit: limit)
            happen(.journalRead(.success(lines)), node, after: delay(500...4_000))
        case .trimJournal(let positions): nodes[node].journal.trim(positions)
        case .commit(let batch):
            queue.add(.commit(batch, node: node, life: life), at: now + delay(500...5_000))
        case .deleteObject(let key): archive.delete(key)
        case .publishStatus(let status): nodes[node].status = status
        case .log(let message):
            trace?("\(time) node \(node) \(message.level) \(message.text) \(message.metadata)")
        case .wait(let until):
            let wait = Scenario.begin + (until - Self.steadyBegin).wholeMicroseconds + 1
            nodes[node].wait = wait
            queue.add(.wake(node: node, life: life), at: max(wait, now))
        case .end(let ending): end(ending, node)
        }
    }

    private mutating func end(_ ending: RecordingEnding, _ node: Int) {
        trace?("\(time) node \(node) ends: \(ending)")
        if isConnected(node), let lease = nodes[node].lease { catalogue.releaseLease(fence: lease.fence) }
        (nodes[node].state, nodes[node].lease, nodes[node].wait) = (nil, nil, nil)
        nodes[node].life += 1
        startLater(node, failed: ending != .stopped)
    }

    private mutating func delay(_ range: ClosedRange<Int64>) -> Int64 {
        Int64.random(in: range, using: &chance)
    }
}

/// PostgreSQL.
extension Simulation {
    private func isConnected(_ node: Int) -> Bool {
        !scenario.faults(.catalogueAway, of: 0, at: now) && !scenario.faults(.cutOff, of: node, at: now)
    }

    /// A batch arrives at PostgreSQL, also when its sender is gone by then.
    private mutating func commit(_ batch: Batch, _ node: Int, _ life: Int) {
        let answer: Result<Bool, CatalogueError>
        if isConnected(node) {
            let isHeld = catalogue.commit(batch, archive: archive)
            let isLost = scenario.faults(.answersLost, of: 0, at: now) && chance.happens(in: 3)
            answer = isLost ? .failure(.notInTime) : .success(isHeld)
        } else {
            answer = .failure(.notInTime)
        }
        let after = if case .failure = answer { delay(100_000...2_000_000) } else { delay(1_000...6_000) }
        queue.add(
            .recording(.catalogueAnswered(answer), node: node, life: life), at: now + after)
    }

    private mutating func heartbeat(_ node: Int) {
        let isRunning =
            !scenario.faults(.killed, of: node, at: now) && !scenario.faults(.frozen, of: node, at: now)
        if isRunning, isConnected(node) { catalogue.heartbeat(node, at: now) }
        if !isStopping { queue.add(.heartbeat(node: node), at: now + 1_500_000) }
    }
}

/// Sources.
extension Simulation {
    private func source(of use: SourceUse) -> Int? {
        encoders.firstIndex { Self.url(of: $0.index) == use.source.url }
    }

    private mutating func answer(_ request: PlaylistRequest, _ node: Int) {
        guard let source = source(of: request.use), let base = try? HTTPURL(request.use.source.url) else {
            return
        }
        let late = scenario.fault(.latePlaylists, of: source, at: now)?.amount ?? 0
        let duration = delay(15_000...60_000) + late
        guard !scenario.faults(.sourceAway, of: source, at: now), duration < 15_000_000 else {
            let error = SourceError.unreachable("no answer")
            return happen(.playlistFailed(error, request), node, after: min(duration, 15_000_000))
        }
        let made = now + Int64.random(in: 0...duration, using: &chance)
        encoders[source].advance(to: made)
        let arrival = moment(node, at: now + duration)
        let playlist = playlist(request, source, made: made)
        happen(
            .playlistArrived(
                FetchedPlaylist(
                    playlist: playlist, base: base, arrival: arrival, lead: .microseconds(duration)), request),
            node,
            after: duration)
    }

    private mutating func playlist(_ request: PlaylistRequest, _ source: Int, made: Instant) -> Playlist {
        let encoder = encoders[source]
        let name = request.url?.absoluteString.split(separator: "/").last?.split(separator: ".").first
        let named = name.flatMap { RenditionID(String($0)) }
        guard
            let id = named ?? (encoder.settings.renditions.count == 1 ? encoder.settings.renditions[0] : nil)
        else {
            return encoder.multivariantPlaylist
        }
        var instant = made
        if let stale = scenario.fault(.stale, of: source, at: now), chance.happens(in: 2) {
            instant = made - stale.amount
        }
        return .media(encoder.playlist(id, at: instant, scenario))
    }

    private mutating func answer(_ request: SegmentRequest, _ node: Int) {
        guard let source = source(of: request.use) else { return }
        encoders[source].advance(to: now)
        let uri = request.segment.entry.uri
        let slow = scenario.fault(.slow, of: source, at: now)?.amount ?? 0
        let duration = delay(30_000...400_000) + slow
        if scenario.faults(.sourceAway, of: source, at: now) {
            let failure = FetchFailure(.segmentMissing, "no connection")
            return happen(.segmentFailed(failure, request), node, after: duration)
        }
        guard let index = encoders[source].resolve(uri, at: now), !isMissing(index, of: source) else {
            return happen(.segmentFailed(FetchFailure(status: 404), request), node, after: 20_000)
        }
        guard !scenario.faults(.diskFull, of: node, at: now) else {
            return happen(
                .segmentFailed(FetchFailure(.diskFull, "the disk is full"), request),
                node,
                after: 1_000)
        }
        let segment = encoders[source].segments[index]
        let isPart = isPart(segment, of: source)
        guard request.held.map({ $0.byteCount < (isPart ? 400 : 1000) }) ?? true else {
            let failure = FetchFailure(.segmentMissing, "no better bytes")
            return happen(.segmentFailed(failure, request), node, after: duration)
        }
        let digest = Media.digest(source, request.segment.placed.identity.rendition, index, isPart: isPart)
        let stored = StoredSegment(
            object: CommittedObject(
                key: .segment(
                    Self.channel, request.segment.placed.identity.rendition,
                    SegmentName(
                        start: request.segment.placed.start, revision: 0, fileExtension: .transportStream)),
                byteCount: isPart ? 400 : 1000, digest: digest, wasThere: false),
            format: SegmentFormat(container: .transportStream, tracks: "video:h264"), flags: [],
            plainBytes: isPart ? 400 : 1000, firstTimestamp: encoders[source].timestamp(index),
            measuredDuration: isPart ? segment.duration / 5 * 2 : segment.duration)
        queue.add(
            .stored(stored, request, node: node, life: nodes[node].life), at: now + duration)
    }

    private func isPart(_ segment: Encoder.Segment, of source: Int) -> Bool {
        guard let fault = scenario.fault(.partial, of: source, at: segment.listedAt) else { return false }
        return now < segment.listedAt + fault.amount
    }

    private func isMissing(_ index: Int, of source: Int) -> Bool {
        let listed = encoders[source].segments[index].listedAt
        return scenario.faults(.missing, of: source, at: listed)
    }

    private mutating func store(_ stored: StoredSegment, _ request: SegmentRequest, _ node: Int) {
        let placed = request.segment.placed
        let (key, wasThere) = archive.commit(
            stored.object.digest, channel: Self.channel, placed.identity.rendition, start: placed.start)
        var stored = stored
        stored.object.key = key
        stored.object.wasThere = wasThere
        handle(.segmentStored(stored, request), node)
    }

    private mutating func answer(_ request: ProbeRequest, _ node: Int) {
        guard let source = source(of: request.use) else { return }
        encoders[source].advance(to: now)
        guard !scenario.faults(.sourceAway, of: source, at: now),
            let index = encoders[source].resolve(request.segment.entry.uri, at: now),
            !isMissing(index, of: source)
        else {
            return happen(.probeFailed(request), node, after: 50_000)
        }
        let digest = Media.digest(source, request.segment.placed.identity.rendition, index)
        let probed = ProbedSegment(digest: digest, firstTimestamp: encoders[source].timestamp(index))
        happen(.segmentProbed(probed, request), node, after: delay(30_000...400_000))
    }
}
