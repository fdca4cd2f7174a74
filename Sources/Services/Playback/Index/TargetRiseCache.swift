import Catalogue
import Synchronization

/// Where the target durations of channels rose, in memory.
final class TargetRiseCache: Sendable {
    private struct Entry {
        /// Up to this discontinuity sequence it is known, and of that one up to this target duration: a
        /// sequence without segments may have none yet.
        var sequence: Int32
        var targetSeconds: Int
        var rises: [TargetRise]

        func isComplete(for head: PublishedHead) -> Bool {
            sequence >= head.discontinuitySequence && targetSeconds >= head.targetSeconds
        }

        /// A sequence begins where the published log ended; behind its end lies what was known before the
        /// channel was reanchored.
        func isOfTimeLine(of head: PublishedHead) -> Bool {
            rises.allSatisfy { $0.begin <= head.end }
        }
    }

    private let catalogue: Catalogue
    private let entries = Mutex<[Int32: Entry]>([:])

    init(catalogue: Catalogue) {
        self.catalogue = catalogue
    }

    /// What is known up to a head at least; only what has been added to the known sequences is read.
    func rises(of head: ChannelHead) async throws(CatalogueError) -> [TargetRise] {
        let published = head.publishedHead
        let known = entries.withLock { $0[head.channel] }.flatMap { entry in
            entry.isOfTimeLine(of: published) ? entry : nil
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
