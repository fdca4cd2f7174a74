import Foundation
package import Timeline

/// The facts of one channel that the catalogue does not have yet.
package final class ChannelJournal: Sendable {
    package let channel: ChannelID
    private let files: ChannelFiles
    private let log: GroupLog?
    private let pending = PendingAppends()

    init(channel: ChannelID, files: ChannelFiles, log: GroupLog?) {
        self.channel = channel
        self.log = log
        self.files = files
    }

    /// Makes entries durable and returns their positions, one for each entry.
    ///
    /// Calls at the same time share a sync, those of all channels too. Entries of a call that failed may be
    /// replayed after a restart.
    package func append(_ entries: [JournalEntry]) async throws(JournalError) -> [JournalPosition] {
        var lines: [[UInt8]] = []
        for entry in entries { lines.append(try Self.line(of: entry)) }
        if lines.isEmpty { return [] }
        let positions = try await append(lines)
        let news = entries.filter(\.isForResumePoint)
        if !news.isEmpty { await files.noteInResumePoint(news) }
        return positions
    }

    /// If the log of all channels cannot be written, the channel's own file is synced.
    private func append(_ lines: [[UInt8]]) async throws(JournalError) -> [JournalPosition] {
        if let log {
            let staged = try await files.stage(lines)
            do throws(JournalError) {
                try await log.append(lines, to: staged.path, at: staged.offset)
                return staged.positions
            } catch {
                await files.withdraw(staged.positions, because: error)
            }
        }
        let append = PendingAppend(lines: lines)
        pending.add(append)
        return try await files.write(pending, until: append)
    }

    /// Marks entries as entered in the catalogue, in any order.
    ///
    /// After a crash some may be replayed all the same.
    package func trim(_ positions: [JournalPosition]) async {
        await files.trim(positions)
    }

    /// The entries behind a position, or all, that are not done, in the order of writing.
    ///
    /// Fewer than the limit came when there are no more.
    package func replay(
        after position: JournalPosition? = nil, limit: Int = Limits.replayedPerRead
    ) async throws(JournalError) -> [(JournalPosition, JournalEntry)] {
        try await files.replay(after: position, limit: limit)
    }

    /// How many entries wait that are not done.
    package func waitingCount() async throws(JournalError) -> Int {
        try await files.waitingCount
    }

    /// Entries behind a position, or all, that the catalogue has taken and that are kept, in the order of
    /// writing.
    ///
    /// Fewer than the limit came when there are no more.
    package func replayEntered(
        after position: JournalPosition? = nil, limit: Int = Limits.replayedPerRead
    ) async throws(JournalError) -> [(JournalPosition, JournalEntry)] {
        try await files.replayEntered(after: position, limit: limit)
    }

    /// The newest entries that the catalogue has taken, oldest first: at least so many, if they are kept.
    package func newestEntered(
        count: Int
    ) async throws(JournalError) -> [(JournalPosition, JournalEntry)] {
        try await files.newestEntered(count: count)
    }

    /// What a recorder needs to begin while the catalogue is away; nil if this node does not own the channel.
    package func resumePoint() async throws(JournalError) -> ResumePoint? {
        try await files.readResumePoint()
    }

    /// Makes a resume point durable.
    ///
    /// Renditions and source runs that are appended later are added to it.
    package func store(_ point: ResumePoint) async throws(JournalError) {
        try await files.store(point)
    }

    /// The channel is not recorded here any more.
    package func removeResumePoint() async throws(JournalError) {
        try await files.removeResumePoint()
    }

    func close() async {
        await files.close()
    }

    /// Durably sets aside entries that the catalogue refuses, and marks them as done.
    ///
    /// A later start tries them again.
    ///
    /// - Returns: false if they cannot be set aside; then they stay in their files
    package func setAside(
        refused entries: [(entry: JournalEntry, position: JournalPosition?)], because reason: String,
    ) async throws(JournalError) -> Bool {
        var payloads: [[UInt8]] = []
        for entry in entries { payloads.append(try Self.payload(of: entry.entry)) }
        return try await files.setAsideRefused(payloads, at: entries.compactMap(\.position), because: reason)
    }

    private static func line(of entry: JournalEntry) throws(JournalError) -> [UInt8] {
        JournalLine.written(try payload(of: entry))
    }

    private static func payload(of entry: JournalEntry) throws(JournalError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let payload: [UInt8]
        do { payload = Array(try encoder.encode(entry)) } catch { throw .unencodable("\(error)") }
        guard payload.count <= Limits.entryByteCount else { throw .entryTooLarge(byteCount: payload.count) }
        return payload
    }
}

extension JournalEntry {
    /// Whether a resume point has it.
    fileprivate var isForResumePoint: Bool {
        switch self {
        case .rendition, .sourceRun: true
        case .segment, .keyPending, .loss, .marker: false
        }
    }
}
