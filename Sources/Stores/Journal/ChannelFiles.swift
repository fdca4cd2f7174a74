import Concurrency
import Files
import Glibc
import Logging
import Timeline

/// The files of one channel's journal; works on a writer thread, as it waits for the disk.
actor ChannelFiles {
    let channel: ChannelID
    let folder: String
    let disk: Disk<JournalError>
    let bounds: FileBounds
    let logger: Logger
    let clock: HostClock
    /// From when the ages of kept files are measured; nil before the first is kept.
    var ages: KeptFileClock?
    private let thread: BlockingExecutor
    private let lock: JournalLock
    /// In order; the last is written to while `output` is there.
    var files: [JournalFile] = []
    var lastNumber = 0
    var isLoaded = false
    var setAsideLines: [SetAsideLines.Reason: SetAsideLines] = [:]
    /// The content of its file, once read.
    var resumePoint: ResumePoint?
    let counts: SetAsideCounts
    let usage: JournalUsage
    private let log: GroupLog?
    /// What this channel has added to the usage.
    private var countedBytes: Int64 = 0
    /// Entries until the free space is measured again.
    private var entriesUntilSpaceCheck = 0
    private(set) var isClosed = false
    private var output: DescriptorHandle<JournalError>?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    init(
        channel: ChannelID, folder: String, disk: Disk<JournalError>, bounds: FileBounds, logger: Logger,
        clock: HostClock, thread: BlockingExecutor, lock: JournalLock, counts: SetAsideCounts,
        usage: JournalUsage,
        log: GroupLog?,
    ) {
        self.log = log
        self.channel = channel
        self.folder = folder
        self.disk = disk
        self.bounds = bounds
        self.logger = logger
        self.clock = clock
        self.thread = thread
        self.lock = lock
        self.counts = counts
        self.usage = usage
    }

    /// Writes what waits, group by group, until an append has its result.
    func write(_ pending: PendingAppends, until append: PendingAppend) throws(JournalError)
        -> [JournalPosition]
    {
        while append.result == nil {
            let group = pending.takeGroup()
            if group.isEmpty { throw .closed }
            write(group)
        }
        guard let result = append.result else { throw .closed }
        return try result.get()
    }

    private func write(_ group: [PendingAppend]) {
        do throws(JournalError) {
            var positions = try written(group.flatMap(\.lines))[...]
            for append in group {
                append.resolve(.success(Array(positions.prefix(append.lines.count))))
                positions = positions.dropFirst(append.lines.count)
            }
        } catch {
            for append in group { append.resolve(.failure(error)) }
        }
    }

    /// Writes lines that the log makes durable.
    func stage(_ lines: [[UInt8]]) throws(JournalError) -> StagedLines {
        let positions = try written(lines, isSynced: false)
        guard let file = files.first(where: { $0.number == positions.first?.file }) else { throw .closed }
        let byteCount = lines.reduce(0) { $0 + Int64($1.count) }
        return StagedLines(
            positions: positions, path: "\(channel)/\(file.name)", offset: file.byteCount - byteCount)
    }

    /// Marks lines as done that could not be made durable: their entries are appended again as new lines.
    func withdraw(_ positions: [JournalPosition], because error: JournalError) {
        logger.error("Cannot write the journal's log; files are synced", metadata: ["error": "\(error)"])
        output = nil
        trim(positions)
    }

    /// Writes and syncs lines; after a failure once more in a new file, never in the same one.
    private func written(
        _ lines: [[UInt8]], isSynced: Bool = true,
    ) throws(JournalError) -> [JournalPosition] {
        try load()
        let bytes = Array(lines.joined())
        guard waitingByteCount + Int64(bytes.count) <= bounds.channelByteCount else { throw .full(channel) }
        guard usage.total + Int64(bytes.count) <= bounds.totalByteCount else { throw .fullForAllChannels }
        try checkSpace(for: lines.count)
        defer { countUsage() }
        do throws(JournalError) {
            return try append(lines, bytes, isSynced: isSynced)
        } catch .system(let operation, let path, let number) {
            let failure = JournalError.system(operation, path: path, number: number)
            logger.error("A write failed; the journal begins a new file", metadata: ["error": "\(failure)"])
            return try append(lines, bytes, isSynced: isSynced)
        }
    }

    /// Refuses to append to a disk that is nearly full.
    private func checkSpace(for count: Int) throws(JournalError) {
        entriesUntilSpaceCheck -= count
        guard entriesUntilSpaceCheck < 0 else { return }
        let free = try disk.space(at: folder).availableBytes
        if free < bounds.keptFloor { removeKeptFiles() }
        guard free >= bounds.appendFloor else { throw .diskFull(path: folder) }
        entriesUntilSpaceCheck = Limits.entriesPerSpaceCheck
    }

    func countUsage() {
        let byteCount = waitingByteCount
        usage.add(byteCount - countedBytes)
        countedBytes = byteCount
    }

    /// Appends lines, whose bytes in a row are `bytes`.
    private func append(
        _ lines: [[UInt8]], _ bytes: [UInt8], isSynced: Bool,
    ) throws(JournalError) -> [JournalPosition] {
        if output == nil { output = try beginFile() }
        guard let open = output.take(), let last = files.indices.last else { throw .closed }
        do throws(JournalError) {
            try disk.write(bytes, to: open)
            if isSynced { try disk.sync(open) }
        } catch {
            // Parts of these lines in the file are ignored: the lines are written to another file, or
            // refused.
            files[last].byteCount += Int64(bytes.count)
            removeDoneFiles()
            throw error
        }
        let positions = files[last].add(lines)
        if files[last].byteCount < bounds.fileByteCount { output = consume open }
        return positions
    }

    private func beginFile() throws(JournalError) -> DescriptorHandle<JournalError> {
        let file = JournalFile(number: lastNumber + 1)
        let open = try disk.open(path(file.name), O_CREAT | O_EXCL | O_WRONLY | O_APPEND, mode: 0o600)
        lastNumber = file.number
        files.append(file)
        do throws(JournalError) {
            try disk.syncFolder(folder)
        } catch {
            removeDoneFiles()
            throw error
        }
        return open
    }

    /// Bytes of the lines that are not done, about; a file also keeps its other lines until all are done.
    private var waitingByteCount: Int64 { files.reduce(0) { $0 + $1.waitingByteCount } }

    func path(_ name: String) -> String { folder + "/" + name }

    /// Removes the files whose entries are all done; the one being written only once it has some length.
    func removeDoneFiles() {
        for index in files.indices.reversed() where files[index].waiting.isEmpty {
            if output != nil, index == files.count - 1 {
                if files[index].byteCount < bounds.doneFileByteCount { continue }
                output = nil
            }
            if remove(files[index]) { files.remove(at: index) }
        }
        countUsage()
    }

    private func remove(_ file: JournalFile) -> Bool {
        do throws(JournalError) {
            if file.lineCount > 0, bounds.keptSeconds > 0 { keep(file) }
            try disk.remove(path(file.name))
            try disk.remove(path(file.doneName))
            log?.removed("\(channel)/\(file.name)")
            return true
        } catch {
            logger.warning("A finished journal file could not be removed", metadata: ["error": "\(error)"])
            return false
        }
    }

    func close() {
        output = nil
        isClosed = true
        removeDoneFiles()
    }
}

/// Lines that are written and not durable yet.
struct StagedLines: Sendable {
    var positions: [JournalPosition]
    /// Of their file, below the journal's folder.
    var path: String
    /// Where they begin in it.
    var offset: Int64
}
