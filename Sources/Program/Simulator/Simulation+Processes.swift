import Catalogue
import Concurrency
import Journal
import Monitoring
import Recorder
import SegmentStore
import Timeline

/// Processes.
extension Simulation {
    mutating func start(_ node: Int) {
        guard !isStopping else { return }
        nodes[node].askedSince = nodes[node].askedSince ?? now
        guard isConnected(node) else { return startWithoutLease(node) }
        let lease = catalogue.takeLease(node, at: now, takesOver: nodes[node].isSteady(at: now))
        let late = lateness()
        guard late > 0 else { return leaseAnswered(lease, node) }
        let answer: Lease?? = chance.happens(in: 3) ? nil : .some(lease)
        queue.add(.leaseAnswered(answer, node: node, generation: nodes[node].generation), at: now + late)
    }

    mutating func leaseAnswered(_ answer: Lease??, _ node: Int) {
        guard !isStopping else { return }
        guard let lease = answer else { return startWithoutLease(node) }
        guard let lease else {
            (nodes[node].resumePoint, nodes[node].askedSince) = (nil, nil)
            _ = enterUnowned(node)
            return startLater(node, failed: false)
        }
        let heads = catalogue.heads(isBrief: encoders.count == 1 && !nodes[node].readsAll)
        nodes[node].pause = 1_000_000
        nodes[node].lease = lease
        let last = heads.flatMap(\.known).max { ($0.end, $0.run) < ($1.end, $1.run) }?.run
        let lastRun = last.flatMap { catalogue.sourceRuns[$0] }
        nodes[node].resumePoint = ResumePoint(channel, lease, heads, catalogue.newestRun, lastRun: lastRun)
        record(node, lease, heads, catalogue.newestRun, lastRun)
        trace?("\(time) node \(node) records with fence \(lease.fence)")
        handle(.started, node)
    }

    /// A process that owned the channel records from what its disk knows; it asks again for some seconds if
    /// another node recorded last.
    private mutating func startWithoutLease(_ node: Int) {
        guard let point = nodes[node].resumePoint else { return startLater(node, failed: true) }
        if let since = nodes[node].askedSince, now - since < 5_000_000, nodes[node].journal.end < point.end {
            return startLater(node, failed: false)
        }
        let heads = point.heads(nodes[node].journal.entered)
        record(node, point.lease, heads, point.sourceRun, point.lastRun, publishes: false)
        trace?("\(time) node \(node) records without PostgreSQL")
        queue.add(.askForLease(node: node, generation: nodes[node].generation), at: now + 1_000_000)
        handle(.started, node)
    }

    private mutating func record(
        _ node: Int, _ lease: Lease, _ heads: [RenditionHead], _ newestRun: SourceRun?,
        _ lastRun: SourceRun? = nil, publishes: Bool = true,
    ) {
        (nodes[node].publishes, nodes[node].askedSince) = (publishes, nil)
        nodes[node].state = RecordingState(
            channel: channel, lease: lease, heads: heads, newestRun: newestRun, lastRun: lastRun,
            publishes: publishes, unfinished: nodes[node].unfinished, at: moment(node, at: now),
            seed: chance.next())
        nodes[node].unfinished = []
    }

    mutating func askForLease(_ node: Int) {
        guard isConnected(node) else {
            return queue.add(
                .askForLease(node: node, generation: nodes[node].generation), at: now + 1_000_000)
        }
        let late = lateness()
        guard late == 0 else { return happen(.stopRequested, node, after: late) }
        handle(.stopRequested, node)
    }

    mutating func startLater(_ node: Int, failed: Bool) {
        if failed { nodes[node].pause = min(nodes[node].pause * 2, 5_000_000) }
        queue.add(
            .start(node: node, generation: nodes[node].generation),
            at: now + (failed ? nodes[node].pause : 1_000_000))
    }

    /// The journal of a node that does not record goes to the archive unpublished, part by part.
    ///
    /// Segments that wait for their keys stay there.
    mutating func enterUnowned(_ node: Int) -> Bool {
        let lines = nodes[node].journal.read(after: nil, limit: 20_000).filter {
            if case .keyPending = $0.entry { false } else { true }
        }.prefix(100)
        guard !lines.isEmpty else { return false }
        var batch = Batch(unpublishedIn: 1)
        for line in lines { batch.add(line.entry) }
        let refused = refusedFacts(of: batch).map(\.fact.digest)
        nodes[node].refused.formUnion(refused)
        batch.segments.removeAll { refused.contains($0.fact.digest) }
        _ = catalogue.commit(batch, archive: archive)
        nodes[node].journal.trim(lines.map(\.position))
        return true
    }

    mutating func perform(_ action: consuming RecordingAction, _ node: Int) {
        let generation = nodes[node].generation
        switch consume action {
        case .fetchPlaylist(let request): answer(request, node)
        case .fetchSegment(let request): answer(request, node)
        case .probeSegment(let request): answer(request, node)
        case .openPendingSegment(let segment, let use): open(segment, use, node)
        case .setPlaylistForm, .cancelFetches: break
        case .setAside(let entries, _): setAside(entries, node)
        case .journal(let entries):
            nodes[node].appending = entries
            queue.add(.appended(node: node, generation: generation), at: now + delay(1_000...8_000))
        case .readJournal(let position, let limit):
            let lines = nodes[node].journal.read(after: position, limit: limit)
            happen(.journalRead(.success(lines)), node, after: delay(500...4_000))
        case .trimJournal(let positions): nodes[node].journal.trim(positions)
        case .commit(let batch):
            queue.add(
                .commit(batch, node: node, generation: generation), at: now + delay(500...5_000) + lateness())
        case .deleteObject(let key):
            if isConnected(node), !catalogue.refers(to: key) { archive.delete(key) }
        case .publishStatus(let status): nodes[node].status = status
        case .log(let message):
            trace?("\(time) node \(node) \(message.level) \(message.text) \(message.metadata)")
        case .wait(let until):
            let wait = Scenario.begin + (until - Self.steadyStart).wholeMicroseconds + 1
            nodes[node].wait = wait
            queue.add(.wake(node: node, generation: generation), at: max(wait, now))
        case .end(let ending): end(ending, node)
        }
    }

    /// The lease stays.
    private mutating func startWithAll(_ node: Int) {
        nodes[node].readsAll = true
        nodes[node].unfinished = nodes[node].state?.unfinished ?? []
        (nodes[node].state, nodes[node].wait) = (nil, nil)
        nodes[node].generation += 1
        queue.add(.start(node: node, generation: nodes[node].generation), at: now)
    }

    private mutating func end(_ ending: RecordingEnding, _ node: Int) {
        trace?("\(time) node \(node) ends: \(ending)")
        if ending == .needsMoreHistory { return startWithAll(node) }
        if isConnected(node), let lease = nodes[node].lease { catalogue.releaseLease(fence: lease.fence) }
        nodes[node].unfinished = nodes[node].state?.unfinished ?? []
        let hadLease = nodes[node].publishes
        (nodes[node].state, nodes[node].lease, nodes[node].wait) = (nil, nil, nil)
        nodes[node].generation += 1
        guard hadLease else {
            return queue.add(.start(node: node, generation: nodes[node].generation), at: now)
        }
        startLater(node, failed: ending != .stopped)
    }
}
