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

    /// Looks whether the catalogue has the newest facts that it took, and enters what it lacks.
    ///
    /// - Returns: how many facts were entered
    @discardableResult
    func repair() async throws -> Int {
        let journal = try parts.journal.channel(channel.id)
        let newest = Self.newestOfEachRun(try await journal.newestEntered(count: Limits.factsReadBack))
        guard !newest.isEmpty, try await !missing(newest).isEmpty else { return 0 }
        logger.warning("The catalogue lacks facts that it had: they are entered again")
        var entered = 0
        var cursor: JournalPosition?
        while true {
            let lines = try await journal.replayEntered(after: cursor, limit: Limits.factsPerBatch)
            entered += try await enter(lines.map(\.1))
            guard let last = lines.last, lines.count == Limits.factsPerBatch else { break }
            cursor = last.0
        }
        logger.notice("Facts that the catalogue lacked are entered", metadata: ["segments": "\(entered)"])
        return entered
    }

    /// Enters those of the entries that are missing, with what they refer to.
    ///
    /// What waited for a key is left out: its segment follows, or it was given up.
    private func enter(_ entries: [JournalEntry]) async throws -> Int {
        let missing = try await missing(entries.compactMap(\.fact))
        var batch = Batch(unpublishedIn: channel.row)
        for entry in entries {
            switch entry {
            case .segment(var fact):
                fact.flags.insert(.late)
                if missing.contains(fact.identity) { batch.add(.segment(fact)) }
            case .sourceRun, .loss, .rendition: batch.add(entry)
            case .keyPending: break
            }
        }
        guard batch.factCount > 0 else { return 0 }
        let segments = batch.segments.count
        _ = try await parts.catalogue.commit(batch)
        try await parts.clock.sleep(for: Limits.reentryPause)
        return segments
    }

    private func missing(_ facts: [SegmentFact]) async throws -> Set<SegmentIdentity> {
        try await parts.catalogue.missing(
            facts.map(\.identity), starts: facts.map(\.start), in: channel.row)
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
