import Catalogue
import Journal
import Timeline

/// What the journal holds of a channel that this node does not record: another one has taken it, or it is not
/// meant to be recorded any more.
///
/// It goes to the archive unpublished; identities that the catalogue has stay as they are.
struct UnownedJournal: Sendable {
    let channel: Channel
    let parts: RecorderParts

    /// Enters one batch, so that the present owner's line is never locked for long.
    ///
    /// - Returns: false when nothing was left
    func enterSome() async throws -> Bool {
        let journal = try parts.journal.channel(channel.id)
        let lines = try await readable(in: journal)
        guard !lines.isEmpty else { return false }
        var batch = Batch(unpublishedIn: channel.row)
        for (_, entry) in lines { batch.add(entry) }
        for index in batch.segments.indices { batch.segments[index].fact.flags.insert(.late) }
        _ = try await parts.catalogue.commit(batch)
        await journal.trim(lines.map(\.0))
        return true
    }

    /// What can be entered.
    ///
    /// Segments that wait for their keys stay until the channel is recorded here again.
    private func readable(
        in journal: ChannelJournal
    ) async throws(JournalError) -> [(JournalPosition, JournalEntry)] {
        var cursor: JournalPosition?
        while true {
            let lines = try await journal.replay(after: cursor, limit: Limits.factsPerBatch)
            let readable = lines.filter { if case .keyPending = $0.1 { false } else { true } }
            if !readable.isEmpty || lines.count < Limits.factsPerBatch { return readable }
            cursor = lines.last?.0
        }
    }
}
