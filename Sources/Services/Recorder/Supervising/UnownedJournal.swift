import Concurrency
import Catalogue
import Journal
import SegmentStore
import Timeline

/// What the journal holds of a channel that this node does not record: another one has taken it, or it is not
/// meant to be recorded any more.
///
/// It goes to the archive unpublished; identities that the catalogue has stay as they are.
struct UnownedJournal: Sendable {
    let channel: Channel
    let dependencies: RecorderDependencies

    /// Enters one batch, so that the present owner's published head is never locked for long.
    ///
    /// - Returns: nil if something was entered; else all that is left, which waits for keys
    func enterBatch() async throws -> [(JournalPosition, KeyPendingSegment)]? {
        let journal = try dependencies.journal.channel(channel.id)
        var (cursor, waiting): (JournalPosition?, [(JournalPosition, KeyPendingSegment)]) = (nil, [])
        while true {
            let page = try await readable(in: journal, after: cursor)
            waiting += page.waiting
            guard !page.lines.isEmpty else { return waiting }
            let left = try await enter(page.lines, from: journal)
            if left.count < page.lines.count { return nil }
            guard let end = page.end else { return waiting }
            cursor = end
        }
    }

    /// Replaces the lines of segments that waited for their keys.
    ///
    /// The encrypted files stay until their hour is deleted: the owner's journal may name them, too.
    ///
    /// - Returns: the new lines, which are to be entered
    func replace(_ opened: [UnownedKeys.Opened]) async throws -> [(JournalPosition, JournalEntry)] {
        let journal = try dependencies.journal.channel(channel.id)
        let entries = opened.map { JournalEntry.segment($0.fact) }
        let positions = try await journal.append(entries)
        await journal.trim(opened.map(\.line))
        return Array(zip(positions, entries))
    }

    /// Enters the lines that `replace` returned.
    func enter(_ lines: [(JournalPosition, JournalEntry)]) async throws {
        _ = try await enter(lines, from: try dependencies.journal.channel(channel.id))
    }

    /// Gives up a batch of segments that wait for their keys.
    ///
    /// Keys of a deleted channel are no longer fetched. The segments are recorded as lost, and their files
    /// are deleted, but for those that another node has published.
    ///
    /// - Returns: false when no segment was waiting
    func giveUpKeys() async throws -> Bool {
        let journal = try dependencies.journal.channel(channel.id)
        var (positions, waiting): ([JournalPosition], [KeyPendingSegment]) = ([], [])
        for case (let position, .keyPending(let segment)) in try await journal.replay(
            limit: Limits.factsPerBatch)
        {
            positions.append(position)
            waiting.append(segment)
        }
        guard !waiting.isEmpty else { return false }
        var batch = Batch(unpublishedIn: channel.row)
        batch.lost = waiting.map(\.placed)
        batch.losses = waiting.map {
            Loss(
                window: TimeWindow(begin: $0.start, end: $0.placed.end), reason: .keyMissing,
                rendition: $0.identity.rendition, note: "the channel was deleted before its key came")
        }
        _ = try await dependencies.catalogue.commit(batch)
        for segment in waiting { try await dependencies.deleteUnused(segment.key) }
        await journal.trim(positions)
        return true
    }

    /// Enters lines, at most a batch; what the catalogue refuses is set aside instead.
    ///
    /// - Returns: what was refused and could not be set aside, and so is still in the journal
    private func enter(
        _ lines: [(JournalPosition, JournalEntry)], from journal: ChannelJournal,
    ) async throws -> [(JournalPosition, JournalEntry)] {
        guard !lines.isEmpty else { return [] }
        var batch = Batch(unpublishedIn: channel.row)
        for (_, entry) in lines { batch.add(entry) }
        for index in batch.segments.indices { batch.segments[index].fact.flags.insert(.late) }
        let result = await Result(of: { () throws(CatalogueError) in
            try await dependencies.catalogue.commit(batch)
        }
        )
        guard case .failure(let error) = result else {
            await journal.trim(lines.map(\.0))
            return []
        }
        let refused = error.refusedFacts.map { facts in lines.filter { facts.contains($0.1) } } ?? []
        if refused.isEmpty { throw error }
        let isSetAside = try await journal.setAside(
            refused: refused.map { (entry: $0.1, position: $0.0) }, because: "\(error)")
        let positions = Set(refused.map(\.0))
        let left = try await enter(lines.filter { !positions.contains($0.0) }, from: journal)
        return isSetAside ? left : refused + left
    }

    /// Sets aside what the journal holds of the timeline that a reanchored channel has left: a recorder that
    /// reads it would go on there.
    ///
    /// Segments of it that wait for their keys, or can neither be entered nor set aside, leave the journal;
    /// their bytes stay until their hour is deleted. `now` is the present by the clock of the recorder.
    func setAsidePreviousTimeline(of point: ReanchorPoint, now: Instant) async throws {
        let journal = try dependencies.journal.channel(channel.id)
        var cursor: JournalPosition?
        while true {
            let lines = try await journal.replay(after: cursor, limit: Limits.factsPerBatch)
            let ahead = lines.filter { isAhead($0.1, of: point, now: now) }
            await journal.trim(try await enter(ahead, from: journal).map(\.0))
            guard lines.count == Limits.factsPerBatch, let last = lines.last else { return }
            cursor = last.0
        }
    }

    /// Without a fence, a segment that waits for its key belongs to the previous timeline if it begins after
    /// now.
    private func isAhead(_ entry: JournalEntry, of point: ReanchorPoint, now: Instant) -> Bool {
        switch entry {
        case .segment(let fact): point.setsAside(fact)
        case .keyPending(let segment): segment.start > max(point.instant, now)
        case .marker(let marker): marker.begin > max(point.instant, now)
        case .sourceRun, .loss, .rendition: false
        }
    }

    /// The next lines that can be entered, the segments before them that wait for their keys, and where more
    /// lines may follow.
    ///
    /// Such segments stay until their keys come, the channel is recorded here again, or it is deleted.
    private func readable(
        in journal: ChannelJournal, after position: JournalPosition?,
    ) async throws(JournalError) -> (
        lines: [(JournalPosition, JournalEntry)], waiting: [(JournalPosition, KeyPendingSegment)],
        end: JournalPosition?
    ) {
        var cursor = position
        var waiting: [(JournalPosition, KeyPendingSegment)] = []
        while true {
            let lines = try await journal.replay(after: cursor, limit: Limits.factsPerBatch)
            var readable: [(JournalPosition, JournalEntry)] = []
            for (position, entry) in lines {
                if case .keyPending(let segment) = entry {
                    waiting.append((position, segment))
                } else {
                    readable.append((position, entry))
                }
            }
            cursor = lines.count < Limits.factsPerBatch ? nil : lines.last?.0
            if !readable.isEmpty || cursor == nil { return (readable, waiting, cursor) }
        }
    }
}

extension Batch {
    /// Whether an entry of the journal is one of the facts.
    func contains(_ entry: JournalEntry) -> Bool {
        switch entry {
        case .segment(let fact): segments.contains { $0.fact.identity == fact.identity }
        case .keyPending(let segment): keyPending.contains { $0.identity == segment.identity }
        case .sourceRun(let run): sourceRuns.contains { $0.id == run.id }
        case .loss(let loss): losses.contains(loss)
        case .marker(let marker): markers.contains(marker)
        case .rendition(let description): renditions.contains(description)
        }
    }
}
