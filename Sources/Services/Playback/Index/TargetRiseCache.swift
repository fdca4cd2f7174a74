import Catalogue
import Synchronization

/// Where the target durations of channels rose, in memory.
final class TargetRiseCache: Sendable {
    private struct Entry {
        /// The rises are known up to this discontinuity sequence and this target duration: the sequence may
        /// have got its target duration after it was read, with its first segment.
        var sequence: Int32
        var targetSeconds: Int
        var rises: [TargetRise]

        func isComplete(for head: PublishedHead) -> Bool {
            sequence >= head.discontinuitySequence && targetSeconds >= head.targetSeconds
        }

        /// Whether no rise begins after the end of the published log.
        ///
        /// Such a rise belongs to the timeline before the channel was reanchored.
        func isOnTimeline(of head: PublishedHead) -> Bool {
            rises.allSatisfy { $0.begin <= head.end }
        }
    }

    private let catalogue: Catalogue
    private let entries = Mutex<[Int32: Entry]>([:])

    init(catalogue: Catalogue) {
        self.catalogue = catalogue
    }

    /// The rises up to a head, or later ones too; only new sequences are read from the catalogue.
    func rises(of head: ChannelHead) async throws(CatalogueError) -> [TargetRise] {
        let published = head.publishedHead
        let known = entries.withLock { $0[head.channel] }.flatMap { entry in
            entry.isOnTimeline(of: published) ? entry : nil
        }
        if let known, known.isComplete(for: published) { return known.rises }
        let newer = try await catalogue.targetRises(of: head.channel, from: known?.sequence ?? 0)
        let entry = Entry(
            sequence: published.discontinuitySequence, targetSeconds: published.targetSeconds,
            rises: (known?.rises ?? []).followed(by: newer))
        entries.withLock { entries in
            if entries.count >= Limits.cachedChannels { entries.removeAll() }
            if let other = entries[head.channel], other.sequence > entry.sequence { return }
            entries[head.channel] = entry
        }
        return entry.rises
    }
}
