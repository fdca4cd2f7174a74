import Foundation
import TestSupport

/// What became of everything that the origin published while a fault was tried.
struct FaultOutcome {
    var published = 0
    /// Segments that could be kept and are not in the window.
    var lost: [String] = []
    /// Segments that could not be kept: the origin listed them only while it was away, or they were older
    /// than what is taken of a first playlist.
    var unreachable = 0
    var twice = 0
    /// Segments whose bytes the origin did not publish.
    var foreign = 0
    var isInOrder = true

    /// Adds one channel: what it published, and the digests of its window in their order.
    mutating func add(_ entries: [LedgerEntry], window digests: [String], isKeepable: (LedgerEntry) -> Bool) {
        let held = Set(digests)
        let known = Set(entries.map(\.sha256))
        published += entries.count
        for entry in entries where !held.contains(entry.sha256) {
            if isKeepable(entry) { lost.append("\(entry.channel)/\(entry.number)") } else { unreachable += 1 }
        }
        twice += digests.count - held.count
        foreign += digests.filter { !known.contains($0) }.count
        isInOrder = isInOrder && digests == entries.map(\.sha256).filter(held.contains)
    }

    var isPerfect: Bool { published > 0 && lost.isEmpty && twice == 0 && foreign == 0 && isInOrder }
}
