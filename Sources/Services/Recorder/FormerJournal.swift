import Catalogue
import Journal
import Timeline

/// What the journal holds of a channel that this node does not record: another one has taken it, or it is not meant to
/// be recorded any more.
///
/// It goes to the archive unpublished; identities that the catalogue has stay as they are.
struct FormerJournal: Sendable {
    let channel: Channel
    let parts: RecorderParts

    /// Enters one batch, so that the present owner's line is never locked for long.
    ///
    /// - Returns: false when nothing was left
    func enterSome() async throws -> Bool {
        let journal = try parts.journal.channel(channel.id)
        let lines = try await journal.replay(limit: Limits.factsPerBatch)
        guard !lines.isEmpty else { return false }
        var batch = Batch(unpublishedIn: channel.row)
        for (_, entry) in lines { batch.add(entry) }
        for index in batch.segments.indices { batch.segments[index].fact.flags.insert(.late) }
        _ = try await parts.catalogue.remember(batch)
        await journal.trim(lines.map(\.0))
        return true
    }
}
