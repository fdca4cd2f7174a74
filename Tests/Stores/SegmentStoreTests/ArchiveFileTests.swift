import Concurrency
import Files
import Foundation
import HTTP
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import SegmentStore

@Suite("An object opened for sending")
struct ArchiveFileTests {
    @Test("It is sent from its file by the kernel, from where the range begins")
    func slice() async throws {
        let archive = try DirectoryArchive()
        try await archive.store.put([1, 2, 3], as: try segmentKey())
        let source = try #require(try archive.store.sourceWithoutBlocking(of: try segmentKey()))
        guard case .file(let slice) = source.with(range: 1..<3).body else {
            throw TestFailure("\(source.body)")
        }
        #expect((slice.offset, slice.byteCount) == (1, 2))
        var bytes = [UInt8](repeating: 0, count: 2)
        #expect(pread(slice.file.descriptor, &bytes, 2, off_t(slice.offset)) == 2)
        #expect(bytes == [2, 3])
    }

    @Test("What is not in memory is read on another thread before it is sent")
    func cold() async throws {
        let isCold = Mutex(true)
        let archive = try DirectoryArchive { operation, _ in
            operation == .look && isCold.withLock { $0 } ? EAGAIN : nil
        }
        let key = try segmentKey()
        try await archive.store.put(Array(repeating: 7, count: 300_000), as: key)
        #expect(try archive.store.sourceWithoutBlocking(of: key) == nil)
        await (try await archive.store.source(of: key, range: nil)).prepare()
        isCold.withLock { $0 = false }
        #expect(try archive.store.sourceWithoutBlocking(of: key)?.byteCount == 300_000)
    }

    /// Zeros that are read on a thread.
    private func zeros(pieces: Int, on thread: BlockingExecutor) throws -> ArchivePieces {
        let tree = FolderTree(root: "/dev", disk: Disk())
        let count = pieces * Limits.comparisonByteCount
        let file = ArchiveFile(
            try tree.disk.open("/dev/zero", O_RDONLY), byteCount: Int64(count), tree: tree)
        return ArchivePieces(file, 0..<UInt64(count), thread: thread)
    }

    /// What others have to do on a thread: each round waits behind all other work.
    private final class Rounds: Sendable {
        private let thread: BlockingExecutor
        private let state = Mutex((done: 0, isOver: false))

        init(on thread: BlockingExecutor) {
            self.thread = thread
            next()
        }

        var done: Int { state.withLock { $0.done } }

        func end() { state.withLock { $0.isOver = true } }

        private func next() {
            thread.run {
                let isOver = self.state.withLock { state in
                    state.done += 1
                    return state.isOver
                }
                if !isOver { self.next() }
            }
        }
    }

    @Test("While one is read into memory, others have their turn on the thread after each piece")
    func fair() async throws {
        let thread = BlockingExecutor(label: "test")
        let pieces = try zeros(pieces: 40, on: thread)
        let others = Rounds(on: thread)
        defer { others.end() }
        let rounds = await withTaskExecutorPreference(thread) {
            let before = others.done
            #expect(await pieces.readRest())
            return others.done - before
        }
        #expect(rounds >= 39)
    }

    @Test("A cancelled request reads nothing more into memory")
    func cancelled() async throws {
        let thread = BlockingExecutor(label: "test")
        let pieces = try zeros(pieces: 1, on: thread)
        let reading = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await pieces.readRest()
        }
        #expect(await !reading.value)
        #expect(try await pieces.next(limit: 1) == [0])
    }

    @Test("What ends after the bytes that are read first is sent piece by piece, from a thread that may wait")
    func long() async throws {
        let archive = try DirectoryArchive()
        let (key, limit) = (try segmentKey(), Limits.preparedByteCount)
        try await archive.store.put([UInt8](repeating: 7, count: Int(limit)) + [8, 9], as: key)
        let source = try #require(try archive.store.sourceWithoutBlocking(of: key))
        guard case .file = source.with(range: 0..<limit).body else { throw TestFailure("\(source.body)") }
        guard case .stream(2, let end) = source.with(range: limit..<(limit + 2)).body else {
            throw TestFailure("\(source.body)")
        }
        #expect(try await end.next(limit: 1) == [8])
        #expect(try await end.next(limit: 9) == [9])
        #expect(try await end.next(limit: 1) == nil)
    }

    /// preadv2(2) says so of NFS, FUSE and SMB.
    @Test("Where the system does not say what is in memory, only what was read in this round counts")
    func unknown() async throws {
        let archive = try DirectoryArchive { operation, _ in operation == .look ? EOPNOTSUPP : nil }
        let (key, other) = (try segmentKey(), try segmentKey(eight + Microseconds.perSecond))
        for key in [key, other] {
            try await archive.store.put(Array(repeating: 7, count: 300_000), as: key)
            #expect(try archive.store.sourceWithoutBlocking(of: key) == nil)
        }
        for _ in 0..<2 {
            await (try await archive.store.source(of: key, range: nil)).prepare()
            for _ in 0..<2 { #expect(try archive.store.sourceWithoutBlocking(of: key)?.byteCount == 300_000) }
            // What was read of the other one is not what is sent first.
            await (try await archive.store.source(of: other, range: 1..<300_000)).prepare()
            #expect(try archive.store.sourceWithoutBlocking(of: other) == nil)
            _ = try await archive.store.space()
            #expect(try archive.store.sourceWithoutBlocking(of: key) == nil)
        }
    }

    @Test("Where the system does not say what is in memory, no file is opened on the thread that asks")
    func network() async throws {
        let isAsking = Mutex(false)
        let openedByCaller = Mutex(0)
        let archive = try DirectoryArchive { operation, path in
            if operation == .open, path.hasSuffix(".ts"), isAsking.withLock({ $0 }) {
                openedByCaller.withLock { $0 += 1 }
            }
            return operation == .look ? EOPNOTSUPP : nil
        }
        let keys = try (0..<4).map { try segmentKey(eight + Int64($0) * Microseconds.perSecond) }
        for key in keys { try await archive.store.put([1, 2, 3], as: key) }
        _ = try await archive.store.source(of: keys[0], range: nil)
        isAsking.withLock { $0 = true }
        for key in keys { #expect(try archive.store.sourceWithoutBlocking(of: key) == nil) }
        #expect(openedByCaller.withLock { $0 } == 0)
        isAsking.withLock { $0 = false }
        await (try await archive.store.source(of: keys[1], range: nil)).prepare()
        #expect(try archive.store.sourceWithoutBlocking(of: keys[1])?.byteCount == 3)
    }

    @Test("A file that the kernel does not find at once is opened on another thread")
    func lookup() async throws {
        let number = Mutex<Int32?>(nil)
        let archive = try DirectoryArchive { operation, path in
            operation == .open && path.hasSuffix(".ts") ? number.withLock { $0 } : nil
        }
        let keys = try (0..<4).map { try segmentKey(eight + Int64($0) * Microseconds.perSecond) }
        // The last three: a kernel without the call, with fewer of its flags, and where it is forbidden.
        for (key, error) in zip(keys, [EAGAIN, ENOSYS, EINVAL, EPERM]) {
            try await archive.store.put([1, 2, 3], as: key)
            number.withLock { $0 = error }
            #expect(try archive.store.sourceWithoutBlocking(of: key) == nil)
            number.withLock { $0 = nil }
            _ = try await archive.store.source(of: key, range: nil)
            #expect(try archive.store.sourceWithoutBlocking(of: key)?.byteCount == 3)
        }
    }

    @Test("What was found in memory is looked for again in the next round, what was not each time")
    func rounds() async throws {
        let looks = Mutex(0)
        let isCold = Mutex(false)
        let archive = try DirectoryArchive { operation, _ in
            guard operation == .look else { return nil }
            looks.withLock { $0 += 1 }
            return isCold.withLock { $0 } ? EAGAIN : nil
        }
        let key = try segmentKey()
        try await archive.store.put([1, 2, 3], as: key)
        for round in 1...3 {
            _ = try await archive.store.space()
            for _ in 0..<5 { #expect(try archive.store.sourceWithoutBlocking(of: key) != nil) }
            #expect(looks.withLock { $0 } == round)
        }
        isCold.withLock { $0 = true }
        _ = try await archive.store.space()
        for _ in 0..<2 { #expect(try archive.store.sourceWithoutBlocking(of: key) == nil) }
        #expect(looks.withLock { $0 } == 5)
    }

    @Test("The page cache says whether bytes are in memory", arguments: [1, 75_000, 300_000])
    func pageCache(byteCount: Int) async throws {
        let archive = try DirectoryArchive(asksPageCache: true)
        let key = try segmentKey()
        try await archive.store.put(Array(repeating: 7, count: byteCount), as: key)
        guard case .file(let slice) = try await archive.store.source(of: key, range: nil).body else {
            throw TestFailure("no file")
        }
        let path = archive.root + "/" + (try key.checkedPath())
        let disk = Disk<StoreError>()
        let isTold = disk.isInMemory(try disk.open(path, O_RDONLY), upTo: 1) != nil
        // A file system in memory keeps its pages, and a fast disk may have read them again at once.
        var isSaid = false
        for _ in 0..<100 where !isSaid {
            _ = try await archive.store.space()
            #expect(posix_fadvise(slice.file.descriptor, 0, 0, Int32(POSIX_FADV_DONTNEED)) == 0)
            let isInMemory = try isResident(slice.file.descriptor, byteCount)
            isSaid = (try archive.store.sourceWithoutBlocking(of: key) != nil) == (isInMemory && isTold)
        }
        #expect(isSaid)
    }

    /// Whether all pages of a file are in the page cache, as mincore(2) says.
    private func isResident(_ descriptor: Int32, _ byteCount: Int) throws -> Bool {
        let mapped = try #require(mmap(nil, byteCount, PROT_READ, MAP_SHARED, descriptor, 0))
        defer { munmap(mapped, byteCount) }
        var pages = [UInt8](repeating: 0, count: byteCount / 4096 + 1)
        #expect(mincore(mapped, byteCount, &pages) == 0)
        return pages.prefix((byteCount + 4095) / 4096).allSatisfy { $0 & 1 == 1 }
    }

    @Test("A file is opened once for many requests, closed after a while, and when it is deleted")
    func stays() async throws {
        let opened = Mutex(0)
        let archive = try DirectoryArchive { operation, path in
            if operation == .open, path.hasSuffix(".ts") { opened.withLock { $0 += 1 } }
            return nil
        }
        let key = try segmentKey()
        try await archive.store.put([1, 2, 3], as: key)
        let before = opened.withLock { $0 }
        for _ in 0..<5 { #expect(try archive.store.sourceWithoutBlocking(of: key) != nil) }
        #expect(opened.withLock { $0 } == before + 1)
        for _ in 0..<Limits.unusedFileRounds { _ = try await archive.store.space() }
        _ = try archive.store.sourceWithoutBlocking(of: key)
        #expect(opened.withLock { $0 } == before + 2)
        // A request keeps it while it is sent, the next one finds it gone.
        let sent = try #require(try archive.store.sourceWithoutBlocking(of: key))
        try await archive.store.delete(key)
        #expect(sent.byteCount == 3)
        #expect(await failure { try await archive.look(for: key) } == .notFound(key))
        try await archive.store.put([1, 2, 3], as: key)
        _ = try archive.store.sourceWithoutBlocking(of: key)
        try await archive.store.delete(key)
        #expect(await failure { try await archive.look(for: key) } == .notFound(key))
    }

    @Test("There are never more open files than the limit")
    func bounded() throws {
        let files = OpenFiles(limit: 20)
        for number in 0..<60 { _ = try open(number, files) }
        #expect(files.count == 20)
    }

    @Test("What is asked for again stays open beside a walk over other files")
    func walk() throws {
        let files = OpenFiles(limit: 20)
        let often = try (0..<10).map { try open($0, files) }
        for number in 10..<200 {
            _ = try open(number, files)
            #expect(try open(number % 10, files) === often[number % 10])
        }
        #expect(files.count == 20)
    }

    @Test("Files are closed after a while, those that are not used sooner")
    func old() throws {
        let files = OpenFiles(limit: 20)
        for number in 0..<10 { _ = try open(number, files) }
        for _ in 1..<Limits.unusedFileRounds { files.closeOld() }
        #expect(files.count == 10)
        for number in 3..<5 { _ = try open(number, files) }
        files.closeOld()
        #expect(files.count == 2)
        for _ in 0..<Limits.openFileRounds {
            _ = try open(3, files)
            files.closeOld()
        }
        // It was opened again on the way.
        #expect(files.count == 1)
        files.close(try key(3))
        #expect(files.count == 0)
    }

    private func key(_ number: Int) throws -> ArchiveKey {
        try segmentKey(eight + Int64(number) * Microseconds.perMillisecond)
    }

    private func open(_ number: Int, _ files: OpenFiles) throws -> ArchiveFile {
        let key = try key(number)
        if let known = files.file(key) { return known }
        let tree = FolderTree(root: "/dev", disk: Disk())
        let file = ArchiveFile(try tree.disk.open("/dev/null", O_RDONLY), byteCount: 0, tree: tree)
        files.keep(file, for: key)
        return file
    }

    @Test("A folder or a link under its name is no object")
    func noFile() async throws {
        let archive = try DirectoryArchive()
        let hour = archive.root + "/news/v0/2026-07-14/08"
        try FileManager.default.createDirectory(
            atPath: hour + "/1784016000000.ts", withIntermediateDirectories: true)
        let key = try segmentKey()
        #expect(await failure { try await archive.look(for: key) } == .notFound(key))
        try FileManager.default.createSymbolicLink(
            atPath: hour + "/1784016001000.ts", withDestinationPath: "/etc/hostname")
        let linked = try segmentKey(eight + Microseconds.perSecond)
        #expect(await failure { try await archive.look(for: linked) } == .notFound(linked))
    }
}
