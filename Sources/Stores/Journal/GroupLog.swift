import Concurrency
import Files
import Glibc
import Logging

/// The lines of all channels in one file, so that one sync makes durable what many channels have written.
///
/// A channel's files are written at once and not synced. Until they are, the log has their lines: a start
/// after a crash writes them again where they are missing. Works on a thread of its own, which waits between
/// two syncs, so that lines gather meanwhile.
actor GroupLog {
    private struct LogFile {
        /// The number of the log's own file.
        let number: Int
        /// The files that it has lines of.
        var paths: Set<String> = []
        /// A sync of such files has failed since: what they had in memory may be gone.
        var isDoubtful = false
    }

    private let folder: String
    private let journal: String
    private let disk: Disk<JournalError>
    private let bounds: FileBounds
    private let logger: Logger
    private let thread = BlockingExecutor(label: "journal-log")
    private nonisolated let pending = PendingAppends()
    private var output: DescriptorHandle<JournalError>?
    private var lastNumber = 0
    /// The last one is written to.
    private var logFiles: [LogFile] = []
    private var byteCount: Int64 = 0
    private var pausedUntil: SteadyInstant?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    private init(journal: String, disk: Disk<JournalError>, bounds: FileBounds, logger: Logger) {
        self.journal = journal
        folder = journal + "/.log"
        self.disk = disk
        self.bounds = bounds
        self.logger = logger
    }

    /// Restores the lines that a crash removed from the channels' files, and begins with an empty log.
    ///
    /// Waits for the disk: for start-up only. If restoring fails, the log stays.
    static func open(
        journal: String, disk: Disk<JournalError>, bounds: FileBounds, logger: Logger,
    ) throws(JournalError) -> GroupLog {
        let log = GroupLog(journal: journal, disk: disk, bounds: bounds, logger: logger)
        try disk.makeFolder(log.folder)
        let numbers = try disk.list(log.folder).compactMap(JournalFile.reading).map(\.number).sorted()
        try LogRecovery(journal: journal, disk: disk, logger: logger).run(numbers.map { log.path($0) })
        try disk.syncFolder(journal)
        return log
    }

    /// Makes lines durable that were written to a file of a channel from an offset on.
    nonisolated func append(
        _ lines: [[UInt8]], to path: String, at offset: Int64,
    ) async throws(JournalError) {
        var records: [[UInt8]] = []
        var offset = offset
        for line in lines {
            records.append(JournalLine.written(LogRecord(path: path, content: .line(line, offset)).payload))
            offset += Int64(line.count)
        }
        let append = PendingAppend(lines: records, path: path)
        pending.add(append)
        try await write(until: append)
    }

    /// A file of a channel is removed: what it had is not to be written again.
    nonisolated func removed(_ path: String) {
        let record = JournalLine.written(LogRecord(path: path, content: .removed).payload)
        pending.add(PendingAppend(lines: [record], path: nil))
    }

    /// Syncs what the log has lines of and removes it, so that the next start has nothing to restore.
    func close() {
        rotate()
    }

    private func write(until append: PendingAppend) throws(JournalError) {
        while append.result == nil {
            pause()
            let group = pending.takeGroup()
            if group.isEmpty { throw .closed }
            write(group)
        }
        guard let result = append.result else { throw .closed }
        _ = try result.get()
    }

    /// Sleeps on the log's own thread; lines that arrive during the pause share the next sync.
    private func pause() {
        guard let rest = pausedUntil.map({ $0 - .now }), rest > .zero else { return }
        usleep(
            UInt32(
                clamping: rest.components.seconds * 1_000_000 + rest.components.attoseconds
                    / 1_000_000_000_000))
    }

    private func write(_ group: [PendingAppend]) {
        let result: Result<[JournalPosition], JournalError>
        do throws(JournalError) {
            try write(Array(group.flatMap(\.lines).joined()))
            logFiles[logFiles.count - 1].paths.formUnion(group.compactMap(\.path))
            result = .success([])
        } catch {
            // The file may end with an incomplete line: nothing is written after it.
            output = nil
            result = .failure(error)
        }
        for append in group { append.resolve(result) }
        let channelCount = logFiles.last?.paths.count ?? 0
        pausedUntil = .now + min(bounds.groupPause * channelCount, Limits.longestGroupPause)
        if byteCount >= bounds.logByteCount { rotate() }
    }

    private func write(_ bytes: [UInt8]) throws(JournalError) {
        if output == nil { output = try beginFile() }
        guard let open = output.take() else { throw .closed }
        try disk.write(bytes, to: open)
        try disk.sync(open)
        byteCount += Int64(bytes.count)
        output = consume open
    }

    private func beginFile() throws(JournalError) -> DescriptorHandle<JournalError> {
        let number = lastNumber + 1
        let open = try disk.open(path(number), O_CREAT | O_EXCL | O_WRONLY | O_APPEND, mode: 0o600)
        lastNumber = number
        logFiles.append(LogFile(number: number))
        byteCount = 0
        try disk.syncFolder(folder)
        return open
    }

    /// Ends the log's file, syncs the channels' files that it has lines of, and removes it.
    ///
    /// The system reports a failed write only once and drops the data. After a failed sync, the lines are
    /// written again before the next sync.
    private func rotate() {
        output = nil
        while let logFile = logFiles.first {
            do throws(JournalError) {
                if logFile.isDoubtful { try writeAgain(logFile) }
                for path in logFile.paths { try sync(path) }
                try disk.remove(path(logFile.number))
                logFiles.removeFirst()
            } catch {
                for index in logFiles.indices { logFiles[index].isDoubtful = true }
                logger.warning("Cannot end the journal's log; it stays", metadata: ["error": "\(error)"])
                return
            }
        }
    }

    /// Syncs a file and its name, wherever it is now: where it was written, among the kept ones, or nowhere.
    private func sync(_ path: String) throws(JournalError) {
        try forPlaces(of: path) { file throws(JournalError) in
            try disk.sync(try disk.open(file, O_RDONLY))
            try disk.syncFolder(Self.folder(of: file))
        }
    }

    /// Writes the lines of a file of the log again to their files, and their names to the folders.
    private func writeAgain(_ logFile: LogFile) throws(JournalError) {
        let recovery = LogRecovery(journal: journal, disk: disk, logger: logger)
        let lines = try recovery.lines(of: [path(logFile.number)], includesRemoved: true)
        for path in logFile.paths {
            try forPlaces(of: path) { file throws(JournalError) in
                try recovery.writeAgain(lines[path] ?? [], to: file)
                try recovery.writeAgain(folder: Self.folder(of: file))
            }
        }
    }

    private func forPlaces(
        of path: String, _ body: (_ file: String) throws(JournalError) -> Void,
    ) throws(JournalError) {
        for file in [path, Self.kept(path)].map({ journal + "/" + $0 }) {
            guard try disk.byteCount(of: file) != nil else { continue }
            do throws(JournalError) {
                try body(file)
            } catch .system(.open, _, ENOENT) {
                continue
            }
        }
    }

    private static func kept(_ path: String) -> String {
        folder(of: path) + "/entered/" + path.split(separator: "/").suffix(1).joined()
    }

    static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    private nonisolated func path(_ number: Int) -> String { folder + "/" + JournalFile(number: number).name }
}
