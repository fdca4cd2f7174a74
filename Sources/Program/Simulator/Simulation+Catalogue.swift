import Catalogue
import Journal
import Postgres
import Recorder
import Timeline

/// PostgreSQL.
extension Simulation {
    func isConnected(_ node: Int) -> Bool {
        !scenario.faults(.catalogueUnreachable, of: 0, at: now)
            && !scenario.faults(.nodeDisconnected, of: node, at: now)
    }

    /// How much later than usual PostgreSQL does something, or answers.
    mutating func lateness() -> Int64 {
        guard let amount = scenario.fault(.catalogueSlow, of: 0, at: now)?.amount else { return 0 }
        return delay(min(100_000, amount)...amount)
    }

    private func losesAnswers() -> Bool {
        scenario.faults(.answersLost, of: 0, at: now) || scenario.faults(.catalogueSlow, of: 0, at: now)
    }

    /// A batch arrives at PostgreSQL, also when its sender is gone by then.
    mutating func commit(_ batch: Batch, _ node: Int, _ generation: Int) {
        let answer: Result<Bool, CatalogueError>
        let refused = refusedFacts(of: batch)
        if isConnected(node), !refused.isEmpty {
            var facts = batch
            (facts.segments, facts.losses, facts.markers, facts.renditions) = (refused, [], [], [])
            (facts.sourceRuns, facts.discontinuityStarts, facts.keyPending) = ([], [], [])
            (facts.lost, facts.listed) = ([], [])
            answer = .failure(.factsRefused(facts, PostgresError(.refused, "the value is out of range")))
        } else if isConnected(node) {
            let isHeld = catalogue.commit(batch, archive: archive)
            let isLost = losesAnswers() && chance.happens(in: 3)
            answer = isLost ? .failure(.notInTime) : .success(isHeld)
        } else {
            answer = .failure(.notInTime)
        }
        let after = if case .failure = answer { delay(100_000...2_000_000) } else { delay(1_000...6_000) }
        queue.add(
            .recording(.catalogueAnswered(answer), node: node, generation: generation),
            at: now + after + lateness())
    }

    mutating func heartbeat(_ node: Int) {
        let isRunning =
            !scenario.faults(.killed, of: node, at: now) && !scenario.faults(.frozen, of: node, at: now)
        if isRunning, isConnected(node) {
            catalogue.heartbeat(node, at: now)
            nodes[node].beat(at: now)
        }
        if !isStopping { queue.add(.heartbeat(node: node), at: now + 1_500_000 + lateness()) }
    }

    /// One of three facts of segments that were listed in the span of such a fault.
    func refusedFacts(of batch: Batch) -> [DecidedSegment] {
        guard scenario.faults.contains(where: { $0.kind == .refused }) else { return [] }
        return batch.segments.filter { segment in
            let (source, index) = Media.source(segment.fact.digest)
            return index % 3 == 0
                && scenario.faults(.refused, of: 0, at: encoders[source].segments[index].listedAt)
        }
    }

    /// Entries go to the file of refused facts.
    mutating func setAside(_ entries: [RefusedEntry], _ node: Int) {
        nodes[node].journal.trim(entries.compactMap(\.position))
        for case .segment(let fact) in entries.map(\.entry) { nodes[node].refused.insert(fact.digest) }
    }
}
