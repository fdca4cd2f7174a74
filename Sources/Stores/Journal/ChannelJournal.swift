import Foundation
package import Timeline

/// The facts of one channel that the catalogue does not have yet.
package final class ChannelJournal: Sendable {
    package let channel: ChannelID
    private let files: ChannelFiles
    private let pending = PendingAppends()

    init(channel: ChannelID, files: ChannelFiles) {
        self.channel = channel
        self.files = files
    }

    /// Makes entries durable; answers their positions, one for each.
    ///
    /// Calls at the same time share a sync. Entries of a call that failed may be replayed after a restart.
    package func append(_ entries: [JournalEntry]) async throws(JournalError) -> [JournalPosition] {
        var lines: [[UInt8]] = []
        for entry in entries { lines.append(try Self.line(of: entry)) }
        if lines.isEmpty { return [] }
        let append = PendingAppend(lines: lines)
        pending.add(append)
        return try await files.write(pending, until: append)
    }

    /// Says that entries are in the catalogue, in any order.
    ///
    /// After a crash some may be replayed all the same.
    package func trim(_ positions: [JournalPosition]) async {
        await files.trim(positions)
    }

    /// The entries behind a position, or all, that are not done, in the order of writing.
    ///
    /// Fewer than the limit came when there are no more.
    package func replay(
        after position: JournalPosition? = nil, limit: Int = Limits.replayedAtOnce
    ) async throws(JournalError) -> [(JournalPosition, JournalEntry)] {
        try await files.replay(after: position, limit: limit)
    }

    /// Whether entries wait that are not done.
    func hasEntries() async throws(JournalError) -> Bool {
        try await waitingCount() > 0
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
        after position: JournalPosition? = nil, limit: Int = Limits.replayedAtOnce
    ) async throws(JournalError) -> [(JournalPosition, JournalEntry)] {
        try await files.replayEntered(after: position, limit: limit)
    }

    /// The newest entries that the catalogue has taken, oldest first: at least so many, if they are kept.
    package func newestEntered(count: Int) async throws(JournalError) -> [JournalEntry] {
        try await files.newestEntered(count: count)
    }

    func close() async {
        await files.close()
    }

    /// Sets entries aside that the catalogue refuses, durably, and says that they are done.
    ///
    /// A later start tries them again. When they cannot be set aside, they stay in their files.
    package func setAside(
        refused entries: [(entry: JournalEntry, position: JournalPosition?)], because reason: String,
    ) async throws(JournalError) {
        var payloads: [[UInt8]] = []
        for entry in entries { payloads.append(try Self.payload(of: entry.entry)) }
        try await files.setAsideRefused(payloads, at: entries.compactMap(\.position), because: reason)
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
