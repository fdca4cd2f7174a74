import Catalogue
import Concurrency
import Journal
import Logging
import Timeline

/// Enters facts again that the catalogue had and has lost: a backup was restored, or a replica that lacked
/// the last commits has taken over.
///
/// The journal keeps its files for two days after they were entered. Facts that the catalogue has stay as
/// they are; the others go to the archive unpublished.
struct CatalogueLoss: Sendable {
    let channel: Channel
    let parts: RecorderParts
    let logger: Logger

    /// The newest facts that the catalogue took, by which it is told whether it has lost some.
    func newest() async throws -> [SegmentFact] {
        let journal = try parts.journal.channel(channel.id)
        return Self.newestOfEachRun(try await journal.newestEntered(count: Limits.comparedFacts))
    }

    /// Looks whether the catalogue has the newest facts that it took, and enters what it lacks.
    ///
    /// What it refuses stays missing; `known` are facts of which an earlier look has found that.
    ///
    /// - Returns: how many facts were entered, and the newest facts that are missing all the same
    @discardableResult
    func repair(
        known: Set<SegmentIdentity> = [],
    ) async throws -> (entered: Int, missing: Set<SegmentIdentity>) {
        let journal = try parts.journal.channel(channel.id)
        let newest = try await newest()
        guard !newest.isEmpty, try await !missing(newest).subtracting(known).isEmpty else {
            return (0, known)
        }
        var entered = 0
        var cursor: JournalPosition?
        while true {
            let lines = try await journal.replayEntered(after: cursor, limit: Limits.factsPerBatch)
            entered += try await enter(lines.map(\.1))
            guard let last = lines.last, lines.count == Limits.factsPerBatch else { break }
            cursor = last.0
        }
        if entered > 0 {
            logger.warning(
                "Facts that the catalogue had and lacked were entered again",
                metadata: ["segments": "\(entered)"])
        }
        return (entered, try await missing(newest))
    }

    /// Enters those of the entries that are missing, with what they refer to.
    ///
    /// What waited for a key is left out: its segment follows, or it was given up. So is what the catalogue
    /// refuses, which was set aside when it was refused first.
    private func enter(_ entries: [JournalEntry]) async throws -> Int {
        let missing = try await missing(entries.compactMap(\.fact))
        var batch = Batch(unpublishedIn: channel.row)
        for entry in entries {
            switch entry {
            case .segment(var fact):
                fact.flags.insert(.late)
                if missing.contains(fact.identity) { batch.add(.segment(fact)) }
            case .sourceRun, .loss, .marker, .rendition: batch.add(entry)
            case .keyPending: break
            }
        }
        guard !missing.isEmpty else { return 0 }
        let toCommit = batch
        let result = await Result(of: { () throws(CatalogueError) in
            try await parts.catalogue.commit(toCommit)
        })
        if case .failure(let error) = result {
            guard let refused = error.refusedFacts else { throw error }
            let rest = entries.filter { !refused.contains($0) }
            return rest.count < entries.count ? try await enter(rest) : 0
        }
        try await parts.clock.sleep(for: Limits.reentryPause)
        return batch.segments.count
    }

    private func missing(_ facts: [SegmentFact]) async throws -> Set<SegmentIdentity> {
        try await parts.catalogue.missing([channel.row: facts])[channel.row] ?? []
    }

    /// The catalogue deletes identities after two days, but never the newest of a source run.
    private static func newestOfEachRun(_ entries: [JournalEntry]) -> [SegmentFact] {
        var newest: [SegmentIdentity: SegmentFact] = [:]
        for fact in entries.compactMap(\.fact) {
            let run = SegmentIdentity(rendition: fact.identity.rendition, run: fact.identity.run, number: 0)
            if newest[run].map({ $0.identity.number < fact.identity.number }) ?? true { newest[run] = fact }
        }
        return Array(newest.values)
    }
}

extension JournalEntry {
    /// The fact of a segment; nil for other entries.
    var fact: SegmentFact? { if case .segment(let fact) = self { fact } else { nil } }
}
