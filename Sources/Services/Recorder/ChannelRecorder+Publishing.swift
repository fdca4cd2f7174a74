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
        let decisions = publisher.advance(now: now)
        for lost in decisions.losses where lost.reason == .segmentMissing {
            logger.warning(
                "A segment was not stored in its turn",
                metadata: ["rendition": "\(lost.rendition?.description ?? "")"])
        }
        let line = LineUpdate(
            epoch: publisher.epoch, end: publisher.end, watermark: publisher.watermark,
            targetSeconds: publisher.targetSeconds)
        var batch = Batch(channel: channel.row, fence: lease.fence, line: line)
        (batch.segments, batch.epochs) = (decisions.segments, decisions.epochs)
        (batch.losses, batch.lost) = (decisions.losses + newLosses, decisions.lost)
        (batch.feeds, batch.renditions) = (newFeeds, newDescriptions)
        let isIdle =
            decisions.isEmpty && batch.losses.isEmpty && batch.feeds.isEmpty && batch.renditions.isEmpty
        if isIdle && line == lastLine && newlyKnown.isEmpty { return true }
        (newLosses, newFeeds, newDescriptions) = ([], [], [])
        let held = try await enter(batch)
        lastLine = line
        await trim(batch)
        status.liveEdge = line.watermark.microseconds > 0 ? line.watermark : nil
        publishStatus()
        return held
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

    private func trim(_ batch: Batch) async {
        let entered = batch.segments.map(\.fact.identity) + newlyKnown
        let done = entered.compactMap { positions.removeValue(forKey: $0) }
        let feeds = batch.feeds.isEmpty ? [] : feedPositions
        if !batch.feeds.isEmpty { feedPositions = [] }
        newlyKnown = []
        await journal.trim(done + feeds)
    }
}
