import Concurrency
import Files
import Glibc
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import SegmentStore

@Suite("A draft in a directory")
struct DirectoryDraftTests {
    @Test("A segment lies where a person looks for it, readable for its group, with no temporary file left")
    func place() async throws {
        let archive = try DirectoryArchive()
        try await archive.store.put([1], as: try segmentKey())
        let path = "news/v0/2026-07-14/08/1784016000000.ts"
        #expect(try archive.entries().last == path)
        #expect(try archive.mode(of: path) == 0o640)
        for folder in ["news", "news/v0", "news/v0/2026-07-14", "news/v0/2026-07-14/08"] {
            #expect(try archive.mode(of: folder) == 0o750)
        }
        #expect(try archive.drafts().isEmpty)
    }

    @Test("A key and its folder are for the service alone")
    func keyMode() async throws {
        let archive = try DirectoryArchive()
        try await archive.store.put([1], as: .key(try channel(), "0123456789abcdef0123456789abcdef"))
        #expect(try archive.mode(of: "news/keys/0123456789abcdef0123456789abcdef") == 0o600)
        #expect(try archive.mode(of: "news/keys") == 0o700)
    }

    @Test("A task that prefers the draft's executor writes without a change of threads")
    func executor() async throws {
        let archive = try DirectoryArchive()
        let draft = try await archive.store.makeDraft()
        try await withTaskExecutorPreference(draft.executor) {
            let first = pthread_self()
            for number in 0..<50 {
                try await draft.append([UInt8(number)])
                #expect(pthread_self() == first)
            }
        }
        let object = try await draft.commit(as: try segmentKey())
        #expect(object.byteCount == 50)
    }

    @Test("A draft that is dropped leaves nothing")
    func dropped() async throws {
        let archive = try DirectoryArchive()
        do {
            let draft = try await archive.store.makeDraft()
            try await draft.append([1, 2, 3])
            #expect(try archive.drafts().count == 1)
        }
        try await eventually("the draft's end") { try archive.drafts().isEmpty }
        #expect(try archive.entries().isEmpty)
        #expect(try archive.openDescriptors().isEmpty)
    }

    @Test("No descriptor stays open, whether drafts are committed, dropped or repeated")
    func descriptors() async throws {
        let archive = try DirectoryArchive()
        for number in 0..<20 {
            try await archive.store.put([UInt8(number % 3)], as: try segmentKey())
            let draft = try await archive.store.makeDraft()
            if number % 2 == 0 { try await draft.append([1]) }
            _ = try archive.store.sourceWithoutBlocking(of: try segmentKey())
            _ = try await archive.store.read(try segmentKey())
        }
        // Files that were read stay open until they were not used for some rounds.
        for _ in 0..<Limits.unusedFileRounds { _ = try await archive.store.space() }
        try await eventually("the end of the drafts") { try archive.openDescriptors().isEmpty }
        try await eventually("the end of their files") { try archive.drafts().isEmpty }
    }

    @Test(
        "Whatever fails on the way, the error says it, and nothing is left",
        arguments: [
            (FileOperation.write, ENOSPC), (.write, EDQUOT), (.write, EIO), (.sync, ENOSPC), (.sync, EIO),
            (.makeFolder, ENOSPC), (.link, ENOSPC), (.link, EDQUOT), (.setMode, EPERM),
        ])
    func faults(_ operation: FileOperation, _ number: Int32) async throws {
        let isOn = Switch()
        let archive = try DirectoryArchive { called, _ in called == operation && isOn.value ? number : nil }
        isOn.value = true
        let error = await failure { try await archive.store.put([1], as: try segmentKey()) }
        switch error {
        case .diskFull: #expect([ENOSPC, EDQUOT].contains(number))
        case .system(operation, _, number): break
        default: Issue.record("\(String(describing: error))")
        }
        #expect(try archive.drafts().isEmpty)
        #expect(try archive.entries().filter { $0.hasSuffix(".ts") }.isEmpty)
        #expect(try archive.openDescriptors().isEmpty)
        isOn.value = false
        #expect(try await archive.store.put([1], as: try segmentKey()).wasThere == false)
    }

    @Test("A file system that is full is its own error, and says so when there is space again")
    func diskFull() async throws {
        let isFull = Switch()
        let archive = try DirectoryArchive { operation, _ in
            operation == .write && isFull.value ? ENOSPC : nil
        }
        let draft = try await archive.store.makeDraft()
        try await draft.append([1])
        isFull.value = true
        let error = await failure { try await draft.append([2]) }
        guard case .diskFull = error else { throw TestFailure("\(String(describing: error))") }
        #expect(error?.isTransient == true)
        #expect(try archive.drafts().isEmpty)
        isFull.value = false
        #expect(await failure { try await draft.append([2]) } == .draftEnded)
        let key = try segmentKey()
        do throws(StoreError) {
            _ = try await draft.commit(as: key)
            Issue.record("A draft that failed was committed")
        } catch {
            #expect(error == .draftEnded)
        }
    }

    @Test("A sync that failed is not tried again")
    func syncOnce() async throws {
        let count = Mutex(0)
        let archive = try DirectoryArchive { operation, path in
            guard operation == .sync && path.hasSuffix(".part") else { return nil }
            return count.withLock {
                $0 += 1; return $0 == 1 ? EIO : nil
            }
        }
        #expect(await failure { try await archive.store.put([1], as: try segmentKey()) } != nil)
        #expect(count.withLock { $0 } == 1)
    }

    @Test("A name whose folder could not be synced is taken back")
    func folderSync() async throws {
        let isOn = Switch()
        let archive = try DirectoryArchive { operation, path in
            operation == .sync && path.hasSuffix("/08") && isOn.value ? EIO : nil
        }
        isOn.value = true
        #expect(await failure { try await archive.store.put([1], as: try segmentKey()) } != nil)
        #expect(try await archive.store.contains(try segmentKey()) == false)
    }

    @Test("The file is synced before it gets its name, and the folders after")
    func order() async throws {
        let steps = Mutex<[String]>([])
        let archive = try DirectoryArchive { operation, path in
            if operation == .sync || operation == .link {
                let last = path.split(separator: "/").last.map(String.init) ?? ""
                steps.withLock { $0.append("\(operation) \(last.hasSuffix(".part") ? "draft" : last)") }
            }
            return nil
        }
        try await archive.store.put([1], as: try segmentKey())
        try await archive.store.put([1], as: try segmentKey(eight + Microseconds.perSecond))
        #expect(
            steps.withLock { $0 } == [
                "sync draft", "sync archive", "sync news", "sync v0", "sync 2026-07-14",
                "link 1784016000000.ts", "sync 08",
                "sync draft", "link 1784016001000.ts", "sync 08",
            ])
    }

    @Test("More drafts than the limit are refused until one ends")
    func draftLimit() async throws {
        let archive = try DirectoryArchive()
        let folder = try DraftFolder.open(archive.root + "/.drafts", disk: Disk(), logger: silentLogger)
        let thread = BlockingExecutor(label: "test")
        var places = try (0..<Limits.openDrafts).map { _ in try folder.makeDraftFile(thread: thread) }
        #expect(await failure { _ = try folder.makeDraftFile(thread: thread) } == .tooManyDrafts)
        places.removeLast().clear()
        _ = try folder.makeDraftFile(thread: thread)
        for place in places { place.clear() }
    }
}

/// Something that a test turns on and off while others look at it.
final class Switch: Sendable {
    private let state = Mutex(false)

    var value: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
