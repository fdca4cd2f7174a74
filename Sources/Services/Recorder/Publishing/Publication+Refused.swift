import Catalogue
package import Journal
import Timeline

/// An entry that the catalogue refuses, and its line in the journal, if it has one.
package struct RefusedEntry: Sendable {
    package var entry: JournalEntry
    package var position: JournalPosition?
}

/// Facts that the catalogue refuses, whenever it is asked: they are taken out of the batch, which goes in
/// without them.
extension Publication {
    /// Takes refused facts out of the pending batch.
    ///
    /// Later segments move down by one number so that none is missing, and the time of the refused one counts
    /// as lost.
    ///
    /// - Returns: the entries that are to be set aside
    mutating func refused(_ facts: Batch) -> [RefusedEntry] {
        var refused: [RefusedEntry] = []
        for segment in facts.segments where take(segment.fact.identity) {
            var lines = positions.removeValue(forKey: segment.fact.identity) ?? []
            refused.append(RefusedEntry(entry: .segment(segment.fact), position: lines.popLast()))
            doneLines += lines
        }
        for segment in facts.keyPending {
            pending?.batch.keyPending.removeAll { $0.identity == segment.identity }
            refused.append(
                RefusedEntry(
                    entry: .keyPending(segment),
                    position: keyPendingLines.removeValue(forKey: segment.identity)))
        }
        for loss in facts.losses {
            pending?.batch.losses.removeAll { $0 == loss }
            refused.append(takeNews(.loss(loss)))
        }
        for marker in facts.markers {
            pending?.batch.markers.removeAll { $0 == marker }
            refused.append(takeNews(.marker(marker)))
        }
        for run in facts.sourceRuns {
            pending?.batch.sourceRuns.removeAll { $0.id == run.id }
            refused.append(takeNews(.sourceRun(run)))
        }
        for description in facts.renditions {
            pending?.batch.renditions.removeAll { $0 == description }
            refused.append(takeNews(.rendition(description)))
        }
        for place in facts.listed { pending?.batch.listed.removeAll { $0.identity == place.identity } }
        for place in facts.lost { pending?.batch.lost.removeAll { $0.identity == place.identity } }
        for start in facts.discontinuityStarts {
            pending?.batch.discontinuityStarts.removeAll { $0.sequence == start.sequence }
        }
        return refused
    }

    /// Takes a segment out of the pending batch; false if it is not there.
    private mutating func take(_ identity: SegmentIdentity) -> Bool {
        guard var batch = pending?.batch,
            let index = batch.segments.firstIndex(where: { $0.fact.identity == identity })
        else { return false }
        let segment = batch.segments.remove(at: index)
        if segment.number != nil {
            var isLast = true
            for later in batch.segments.indices[index...]
            where batch.segments[later].fact.identity.rendition == identity.rendition {
                guard let number = batch.segments[later].number else { continue }
                batch.segments[later].number = number - 1
                isLast = false
            }
            publisher.withdraw(from: identity.rendition, isLast: isLast)
        }
        batch.losses.append(
            Loss(
                window: segment.fact.placed.window, reason: .segmentCorrupt, rendition: identity.rendition,
                note: "the catalogue refuses the fact"))
        pending?.batch = batch
        return true
    }

    private mutating func takeNews(_ entry: JournalEntry) -> RefusedEntry {
        let index = pending?.otherEntries.firstIndex { $0.entry == entry }
        return RefusedEntry(
            entry: entry, position: index.flatMap { pending?.otherEntries.remove(at: $0).line })
    }
}

extension Publisher {
    /// Closes the gap in the numbers if a published segment of a rendition is not in the catalogue.
    ///
    /// If it was the last published one, the next segment begins with a boundary.
    mutating func withdraw(from rendition: RenditionID, isLast: Bool) {
        queues[rendition]?.nextNumber -= 1
        if isLast { queues[rendition]?.pendingBoundary = .hole }
    }
}
