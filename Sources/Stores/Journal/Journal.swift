package import Concurrency
import Files
package import Logging
import Synchronization
package import Timeline

/// Facts on disk until the catalogue has them: a folder for each channel, JSON lines with a checksum before
/// each, and a log of all channels, which is synced in place of their files.
package final class Journal: Sendable {
    private let folder: String
    private let disk: Disk<JournalError>
    private let bounds: FileBounds
    private let logger: Logger
    private let clock: HostClock
    private let lock: JournalLock
    private let threads = BlockingExecutors(label: "journal-writer", count: Limits.writerThreads)
    private let counts = SetAsideCounts()
    private let usage = JournalUsage()
    private let log: GroupLog?
    private let state = Mutex(State())

    private struct State {
        var channels: [ChannelID: ChannelJournal] = [:]
        var isClosed = false
    }

    private init(
        folder: String, disk: Disk<JournalError>, bounds: FileBounds, logger: Logger, clock: HostClock,
        lock: JournalLock, log: GroupLog?,
    ) {
        self.log = log
        self.folder = folder
        self.disk = disk
        self.bounds = bounds
        self.logger = logger
        self.clock = clock
        self.lock = lock
    }

    /// Opens the journal in a folder, which is made when it is not there; for one owner at a time.
    ///
    /// Waits for the disk: for start-up only.
    package static func open(
        folder: String, clock: HostClock, logger: Logger,
    ) throws(JournalError) -> Journal {
        let bounds = FileBounds(keptSeconds: Limits.keptSeconds, hasLog: true)
        return try open(folder: folder, disk: Disk(), bounds: bounds, logger: logger, clock: clock)
    }

    static func open(
        folder: String, disk: Disk<JournalError>, bounds: FileBounds, logger: Logger,
        clock: HostClock,
    ) throws(JournalError) -> Journal {
        let path = try disk.makeFolders(folder)
        let lock = try JournalLock.take(in: path, disk: disk)
        let log =
            bounds.hasLog
            ? try GroupLog.open(journal: path, disk: disk, bounds: bounds, logger: logger) : nil
        return Journal(
            folder: path, disk: disk, bounds: bounds, logger: logger, clock: clock, lock: lock, log: log)
    }

    /// The journal of a channel, the same one each time; its files are read when they are first needed.
    package func channel(_ id: ChannelID) throws(JournalError) -> ChannelJournal {
        let journal: ChannelJournal? = state.withLock { state in
            if state.isClosed { return nil }
            if let journal = state.channels[id] { return journal }
            let journal = makeChannel(id, thread: threads.next())
            state.channels[id] = journal
            return journal
        }
        guard let journal else { throw .closed }
        return journal
    }

    /// The resume points of all channels that this node owns.
    package func resumePoints() async throws(JournalError) -> [ResumePoint] {
        var points: [ResumePoint] = []
        for id in try disk.list(folder).compactMap({ ChannelID($0) }).sorted() {
            if let point = try await channel(id).resumePoint() { points.append(point) }
        }
        return points
    }

    /// How many lines of each channel this version could not read since the start; they are set aside.
    package var unreadLines: [ChannelID: Int] { counts.all(.unread) }

    /// How many lines of each channel the catalogue has refused since the start; they are set aside.
    package var refusedLines: [ChannelID: Int] { counts.all(.refused) }

    /// Finishes the running work and releases the folder.
    package func close() async {
        let channels = state.withLock { state in
            state.isClosed = true
            return Array(state.channels.values)
        }
        for channel in channels { await channel.close() }
        await log?.close()
        lock.release()
    }

    private func makeChannel(_ id: ChannelID, thread: BlockingExecutor) -> ChannelJournal {
        var logger = logger
        logger[metadataKey: "channel"] = "\(id)"
        let files = ChannelFiles(
            channel: id, folder: "\(folder)/\(id)", disk: disk, bounds: bounds, logger: logger,
            clock: clock, thread: thread, lock: lock, counts: counts, usage: usage, log: log)
        return ChannelJournal(channel: id, files: files, log: log)
    }
}
