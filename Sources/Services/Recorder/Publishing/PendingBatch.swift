import Catalogue
import Journal
import Timeline

/// A journal entry other than a segment on its way to the catalogue.
///
/// `line` is nil if it could not be written, or if it stays until a key comes.
struct WaitingEntry: Sendable {
    var entry: JournalEntry
    var line: JournalPosition?
}

/// A batch on its way into the catalogue, and the lines of the journal that are done with it besides its
/// segments'.
struct PendingBatch: Sendable {
    var batch: Batch
    /// Entries besides segments that are in the batch.
    var otherEntries: [WaitingEntry]
    var doneLines: [JournalPosition]
    /// The losses of renditions that bring nothing, from their ends to the watermark.
    var growing: [Loss]
    /// Segments that were given up in it because they had not come in time; only the publisher knows that.
    var overdue: [Loss]
    /// It has `Limits.factsPerBatch` facts or more: others may wait.
    var isFull: Bool
}
