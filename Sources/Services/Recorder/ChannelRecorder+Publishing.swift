import Catalogue
import Concurrency
import Journal
import Logging
import Timeline

/// From the publisher into the catalogue.
extension ChannelRecorder {
    /// Publishes what can be published, at most one batch of it, and enters it.
    ///
    /// - Returns: false when the lease is lost
    func commit() async throws -> Bool {
        if unentered == nil {
            let reads = try await readBack()
            unentered = nextBatch()
            hasMore = reads || unentered?.isFull ?? false
        }
        guard let pending = unentered else { return true }
        let held = try await enter(pending.batch)
        unentered = nil
        await journal.trim(
            pending.batch.segments.compactMap { positions.removeValue(forKey: $0.fact.identity) })
        await journal.trim(pending.lines)
        let watermark = pending.batch.publishedHead.watermark
        status.liveEdge = watermark.microseconds > 0 ? watermark : nil
        publishStatus()
        return held
    }

    /// What was decided since the last batch; nil when nothing was.
    private func nextBatch() -> PendingBatch? {
        let news = entries.prefix(Limits.factsPerBatch)
        publisher.returning = backlog?.begin
        let decisions = publisher.advance(
            now: parts.clock.steady(), limit: Limits.factsPerBatch - news.count)
        for lost in decisions.losses where lost.reason == .segmentMissing {
            let rendition = lost.rendition?.description ?? ""
            logger.warning("A segment was not stored in its turn", metadata: ["rendition": "\(rendition)"])
        }
        let publishedHead = PublishedHeadUpdate(
            discontinuitySequence: publisher.discontinuitySequence, end: publisher.end,
            watermark: publisher.watermark,
            targetSeconds: publisher.targetSeconds)
        if decisions.isEmpty && news.isEmpty && doneLines.isEmpty && publishedHead == lastPublishedHead {
            return nil
        }
        var batch = Batch(channel: channel.row, fence: lease.fence, publishedHead: publishedHead)
        (batch.segments, batch.discontinuityStarts) = (decisions.segments, decisions.discontinuityStarts)
        (batch.losses, batch.lost) = (decisions.losses, decisions.lost)
        for waiting in news { batch.add(waiting.entry) }
        let pending = PendingBatch(
            batch: batch, lines: doneLines + news.compactMap(\.line),
            isFull: decisions.count + news.count >= Limits.factsPerBatch)
        entries.removeFirst(news.count)
        (doneLines, lastPublishedHead) = ([], publishedHead)
        return pending
    }

    /// Enters a batch, however long the catalogue is away: recording goes on meanwhile, the journal has the facts.
    private func enter(_ batch: Batch) async throws -> Bool {
        var delay = 0.2
        while true {
            do {
                return try await parts.catalogue.commit(batch)
            } catch {
                guard error.isTransient, !Task.isCancelled else { throw error }
                logger.warning("The catalogue is away", metadata: ["cause": "\(error)"])
                try await Task.sleep(for: .seconds(delay))
                delay = min(delay * 2, 5)
            }
        }
    }
}

/// A batch on its way into the catalogue, and the lines of the journal that are done with it besides its segments'.
struct PendingBatch: Sendable {
    var batch: Batch
    var lines: [JournalPosition]
    /// As much as one transaction takes: more may wait.
    var isFull: Bool
}

extension Batch {
    /// Takes an entry of the journal; segments need a decision of their own.
    mutating func add(_ entry: JournalEntry) {
        switch entry {
        case .segment(let fact):
            segments.append(DecidedSegment(fact: fact, number: nil, discontinuitySequence: nil))
        case .keyPending(let segment): keyPending.append(segment)
        case .sourceRun(let feed): sourceRuns.append(feed)
        case .loss(let loss): losses.append(loss)
        case .rendition(let description): renditions.append(description)
        }
    }
}
