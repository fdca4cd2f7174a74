import Concurrency
import Files
import Glibc
import HTTP
import Synchronization
import Timeline

/// An object opened for sending.
final class ArchiveFile: OpenFile {
    private let file: DescriptorHandle<StoreError>
    private let tree: FolderTree
    let byteCount: UInt64
    /// The answer with all of it, kept as long as the file is open.
    let kept = PreparedResponseSlot()
    /// The round in which its bytes were found in memory.
    private let found = Atomic(-1)

    var descriptor: Int32 { file.number }

    init(_ file: consuming DescriptorHandle<StoreError>, byteCount: Int64, tree: FolderTree) {
        self.file = file
        self.tree = tree
        self.byteCount = UInt64(clamping: byteCount)
    }

    func read(at offset: UInt64, upTo count: Int) throws(StoreError) -> [UInt8] {
        try file.read(at: Int64(clamping: offset), upTo: count)
    }

    /// The bytes that are read before it is sent.
    private var prepared: Range<UInt64> { 0..<min(byteCount, Limits.preparedByteCount) }

    /// Whether its bytes, the first `Limits.preparedByteCount`, can be sent without waiting for the disk.
    ///
    /// The system is asked once in a round of `OpenFiles`: bytes that were just sent stay in memory.
    /// Where it does not say, only what this process has read in the same round counts as being in memory.
    func isInMemory(in round: Int) -> Bool {
        if found.load(ordering: .relaxed) == round { return true }
        let isInMemory = tree.disk.isInMemory(file, upTo: prepared.count)
        tree.reportsCachedBytes.store(isInMemory != nil, ordering: .relaxed)
        guard isInMemory == true else { return false }
        found.store(round, ordering: .relaxed)
        return true
    }

    /// A range was read, beginning in a round.
    func wasRead(_ range: Range<UInt64>, in round: Int) {
        guard range.lowerBound == 0, range.upperBound >= prepared.upperBound else { return }
        found.store(round, ordering: .relaxed)
    }

    /// Lets the kernel read a range in the background.
    func prefetch(_ range: Range<UInt64>) {
        file.prefetch(at: Int64(clamping: range.lowerBound), count: Int64(clamping: range.count))
    }
}

/// An open file as an object: the kernel sends it, and a reader has it read on a thread that may block.
struct ArchiveContent: ObjectContent {
    let file: ArchiveFile
    let readers: BlockingExecutors
    /// The round of `OpenFiles` in which it was asked for.
    let round: Int

    var kept: PreparedResponseSlot? { file.kept }

    /// What ends after `Limits.preparedByteCount` is read piece by piece: sending it from the file would wait
    /// for the disk on a server thread.
    func body(_ range: Range<UInt64>) -> HTTPBody {
        let count = UInt64(range.count)
        guard range.upperBound <= Limits.preparedByteCount else {
            return .stream(length: count, ObjectStream(pieces(range)))
        }
        return .file(FileSlice(file: file, offset: range.lowerBound, byteCount: count))
    }

    func pieces(_ range: Range<UInt64>) -> any ObjectPieces {
        ArchivePieces(file, range, thread: readers.next())
    }

    /// Reads a range into the page cache, on a thread that may block.
    func prepare(_ range: Range<UInt64>) async {
        let part = range.lowerBound..<min(range.upperBound, range.lowerBound + Limits.preparedByteCount)
        let thread = readers.next()
        let pieces = ArchivePieces(file, part, thread: thread)
        let isRead = await withTaskExecutorPreference(thread) { await pieces.readRest() }
        if isRead { file.wasRead(part, in: round) }
    }
}

/// A range of a file, read piece by piece.
actor ArchivePieces: ObjectPieces {
    private let file: ArchiveFile
    private var rest: Range<UInt64>
    private let thread: BlockingExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    init(_ file: ArchiveFile, _ range: Range<UInt64>, thread: BlockingExecutor) {
        self.file = file
        self.thread = thread
        rest = range
    }

    func next(limit: Int) throws(StoreError) -> [UInt8]? {
        guard !rest.isEmpty else { return nil }
        let bytes = try file.read(at: rest.lowerBound, upTo: min(limit, rest.count))
        guard !bytes.isEmpty else { return nil }
        rest = (rest.lowerBound + UInt64(bytes.count))..<rest.upperBound
        return bytes
    }

    /// Reads everything that is left and drops it; false if some of it cannot be read, which fails when it is
    /// sent, or if the task is cancelled.
    ///
    /// Each piece is a call of its own, so that other readers have their turn on the thread.
    nonisolated func readRest() async -> Bool {
        guard !Task.isCancelled else { return false }
        await prefetch()
        while !Task.isCancelled, await skipPiece() {}
        return await rest.isEmpty
    }

    private func prefetch() { file.prefetch(rest) }

    /// Reads a piece and drops it; false at the end, or if it cannot be read.
    private func skipPiece() -> Bool { (try? next(limit: Limits.comparisonByteCount)) != nil }
}

extension FolderTree {
    private static let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK

    /// Opens an object.
    func open(_ key: ArchiveKey) throws(StoreError) -> ArchiveFile {
        let file = try opened(key) { path throws(StoreError) in try disk.open(path, Self.flags) }
        guard let file else { throw .notFound(key) }
        return file
    }

    /// Opens an object without waiting for a disk or a network; nil where that cannot be known beforehand.
    func openWithoutBlocking(_ key: ArchiveKey) throws(StoreError) -> ArchiveFile? {
        guard reportsCachedBytes.load(ordering: .relaxed) else { return nil }
        return try opened(key) { path throws(StoreError) in try disk.openWithoutBlocking(path, Self.flags) }
    }

    private func opened(
        _ key: ArchiveKey, _ open: (String) throws(StoreError) -> DescriptorHandle<StoreError>?,
    ) throws(StoreError) -> ArchiveFile? {
        do throws(StoreError) {
            guard let file = try open(path(of: try key.checkedPath())) else { return nil }
            let status = try file.status()
            guard status.st_mode & S_IFMT == S_IFREG else { throw StoreError.notFound(key) }
            return ArchiveFile(file, byteCount: Int64(status.st_size), tree: self)
        } catch .system(.open, _, let number) where number == ENOENT || number == ELOOP {
            throw .notFound(key)
        }
    }
}
