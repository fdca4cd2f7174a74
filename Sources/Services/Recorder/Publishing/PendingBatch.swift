import Catalogue
import Journal
import Timeline

/// An entry besides segments on its way to the catalogue; without a line if it could not be written.
struct WaitingEntry: Sendable {
    var entry: JournalEntry
    var line: JournalPosition?
}

/// A batch on its way into the catalogue, and the lines of the journal that are done with it besides its
/// segments'.
struct PendingBatch: Sendable {
    var batch: Batch
    /// Entries besides segments that are in the batch.
    var news: [WaitingEntry]
    var doneLines: [JournalPosition]
    /// What renditions lack that bring nothing, from their ends up to the watermark.
    var growing: [Loss]
    /// Segments that were given up in it because they had not come in time.
    var overdue: [Loss]
    /// As much as one transaction takes: more may wait.
    var isFull: Bool
}
