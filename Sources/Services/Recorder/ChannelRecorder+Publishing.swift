import Catalogue
import Journal
import Logging
import Timeline

/// From the publisher into the catalogue.
extension ChannelRecorder {
    /// Publishes what can be published and enters it.
    ///
    /// - Returns: false when the lease is lost
    func commit() async throws -> Bool {
        if unentered == nil { unentered = nextBatch() }
        guard let pending = unentered else { return true }
        let held = try await enter(pending.batch)
        unentered = nil
        await journal.trim(
            pending.batch.segments.compactMap { positions.removeValue(forKey: $0.fact.identity) })
        await journal.trim(pending.positions)
        let watermark = pending.batch.line.watermark
        status.liveEdge = watermark.microseconds > 0 ? watermark : nil
        publishStatus()
        return held
    }

    /// What was decided since the last batch; nil when nothing was.
    private func nextBatch() -> PendingBatch? {
        let decisions = publisher.advance(now: now)
        for lost in decisions.losses where lost.reason == .segmentMissing {
            let rendition = lost.rendition?.description ?? ""
            logger.warning("A segment was not stored in its turn", metadata: ["rendition": "\(rendition)"])
        }
        let line = LineUpdate(
            epoch: publisher.epoch, end: publisher.end, watermark: publisher.watermark,
            targetSeconds: publisher.targetSeconds)
        var batch = Batch(channel: channel.row, fence: lease.fence, line: line)
        (batch.segments, batch.epochs) = (decisions.segments, decisions.epochs)
        (batch.losses, batch.lost) = (decisions.losses + newLosses, decisions.lost + keyPendings.givenUp)
        batch.keyPending = keyPendings.fresh
        (batch.feeds, batch.renditions) = (newFeeds, newDescriptions)
        let isIdle =
            decisions.isEmpty && batch.losses.isEmpty && batch.feeds.isEmpty && batch.renditions.isEmpty
            && batch.keyPending.isEmpty && batch.lost.isEmpty
        if isIdle && line == lastLine && donePositions.isEmpty { return nil }
        let pending = PendingBatch(batch: batch, positions: donePositions)
        (keyPendings.fresh, keyPendings.givenUp) = ([], [])
        (newLosses, newFeeds, newDescriptions, donePositions) = ([], [], [], [])
        lastLine = line
        return pending
    }

    /// Enters a batch, however long the catalogue is away: recording goes on meanwhile, the journal has the facts.
    private func enter(_ batch: Batch) async throws -> Bool {
        var delay = 0.2
        while true {
            do {
                return try await parts.catalogue.remember(batch)
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
    var positions: [JournalPosition]
}
