import Catalogue
import Concurrency
import Journal
import Logging
import Timeline

/// Enters facts again that the catalogue had and has lost: a backup was restored, or a replica that lacked
/// the last commits has taken over.
///
/// The journal keeps its files for two days after they were entered. Facts that the catalogue has stay as
/// they are, but for better bytes that it lacks; the others go to the archive unpublished. Source runs,
/// losses, markers and renditions are all entered: those that the catalogue has do not change by it.
struct LostFactRepair: Sendable {
    let channel: Channel
    let dependencies: RecorderDependencies
    let logger: Logger

    /// Enters all facts of the journal that the catalogue lacks, except those that it refuses.
    ///
    /// - Returns: how many facts were entered
    func repair() async throws -> Int {
        let journal = try dependencies.journal.channel(channel.id)
        var entered = 0
        var cursor: JournalPosition?
        while true {
            let lines = try await journal.replayEntered(after: cursor, limit: Limits.comparedPerRead)
            for begin in stride(from: 0, to: lines.count, by: Limits.factsPerBatch) {
                entered += try await enter(lines.dropFirst(begin).prefix(Limits.factsPerBatch).map(\.1))
            }
            guard let last = lines.last, lines.count == Limits.comparedPerRead else { break }
            cursor = last.0
        }
        if entered > 0 {
            logger.warning(
                "Facts that the catalogue had lost were entered again",
                metadata: ["segments": "\(entered)"])
        }
        return entered
    }

    /// Enters those of the segments that are missing, and all other entries.
    ///
    /// What waited for a key is left out: its segment follows, or it was given up. So is what the catalogue
    /// refuses, which was set aside when it was refused first.
    private func enter(_ entries: [JournalEntry]) async throws -> Int {
        let facts = entries.compactMap(\.fact)
        let missing = try await missing(of: facts)
        var batch = Batch(unpublishedIn: channel.row)
        for entry in entries {
            switch entry {
            case .segment(var fact):
                fact.flags.insert(.late)
                if missing.contains(fact.key) { batch.add(.segment(fact)) }
            case .sourceRun, .loss, .marker, .rendition: batch.add(entry)
            case .keyPending: break
            }
        }
        guard !missing.isEmpty || batch.hasOthers else { return 0 }
        let toCommit = batch
        let result = await Result(of: { () throws(CatalogueError) in
            try await dependencies.catalogue.commit(toCommit)
        })
        if case .failure(let error) = result {
            guard let refused = error.refusedFacts else { throw error }
            let rest = entries.filter { !refused.contains($0) }
            return rest.count < entries.count ? try await enter(rest) : 0
        }
        try await dependencies.clock.sleep(for: Limits.reentryPause)
        return batch.segments.count
    }

    /// The names of bytes that the catalogue lacks; of a segment that it has, only those of better ones.
    private func missing(of facts: [SegmentFact]) async throws -> Set<ArchiveKey> {
        let catalogue = dependencies.catalogue
        let lost = try await catalogue.missing([channel.row: facts.map(\.placed)])[channel.row] ?? []
        let better = facts.filter { $0.replaces != nil && !lost.contains($0.identity) }
        let repairs = try await catalogue.missingRepairs(better, of: channel.row)
        return Set((facts.filter { lost.contains($0.identity) } + repairs).map(\.key))
    }
}

extension Batch {
    /// Whether there are entries besides segments.
    fileprivate var hasOthers: Bool {
        !sourceRuns.isEmpty || !losses.isEmpty || !markers.isEmpty || !renditions.isEmpty
    }
}

extension JournalEntry {
    /// The fact of a segment; nil for other entries.
    var fact: SegmentFact? { if case .segment(let fact) = self { fact } else { nil } }
}
