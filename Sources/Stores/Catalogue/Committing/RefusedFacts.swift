import Postgres
import Timeline

extension Catalogue {
    /// Finds the facts of a batch that the database refuses, by writing halves of it and rolling back.
    ///
    /// Nil if it takes each of them alone.
    func refusedFacts(of batch: Batch) async throws -> Batch? {
        var refused = batch.withoutFacts
        var untried = [batch.singleFacts]
        while let facts = untried.popLast() {
            var trial = batch.withoutFacts
            for fact in facts { trial.add(factsOf: fact) }
            guard !facts.isEmpty, try await isRefused(trial) else { continue }
            if facts.count == 1 {
                refused.add(factsOf: trial)
            } else {
                let middle = facts.count / 2
                untried += [Array(facts[middle...]), Array(facts[..<middle])]
            }
        }
        return refused.factCount > 0 ? refused : nil
    }

    private func isRefused(_ batch: Batch) async throws -> Bool {
        do {
            _ = try await write(batch, asTrial: true)
            return false
        } catch is TrialPassed {
            return false
        } catch let error as PostgresError where error.refusesValues {
            return true
        }
    }
}

extension Batch {
    /// How many facts it has.
    package var factCount: Int {
        renditions.count + sourceRuns.count + discontinuityStarts.count + segments.count + losses.count
            + markers.count + keyPending.count + lost.count + listed.count
    }

    /// The same place in the published log, without facts.
    fileprivate var withoutFacts: Batch {
        Batch(channel: channel, fence: fence, node: node, publishedHead: publishedHead)
    }

    /// A batch for each fact.
    fileprivate var singleFacts: [Batch] {
        let references =
            renditions.map { fact in with { $0.renditions = [fact] } }
            + sourceRuns.map { fact in with { $0.sourceRuns = [fact] } }
            + discontinuityStarts.map { fact in with { $0.discontinuityStarts = [fact] } }
        let entries =
            segments.map { fact in with { $0.segments = [fact] } }
            + losses.map { fact in with { $0.losses = [fact] } }
            + markers.map { fact in with { $0.markers = [fact] } }
        let places =
            keyPending.map { fact in with { $0.keyPending = [fact] } }
            + lost.map { fact in with { $0.lost = [fact] } }
            + listed.map { fact in with { $0.listed = [fact] } }
        return references + entries + places
    }

    private func with(_ change: (inout Batch) -> Void) -> Batch {
        var batch = withoutFacts
        change(&batch)
        return batch
    }

    fileprivate mutating func add(factsOf other: Batch) {
        renditions += other.renditions
        sourceRuns += other.sourceRuns
        discontinuityStarts += other.discontinuityStarts
        segments += other.segments
        losses += other.losses
        markers += other.markers
        keyPending += other.keyPending
        lost += other.lost
        listed += other.listed
    }
}
