import Files
import Foundation
import TestSupport
import Timeline

@testable import SegmentStore

/// The stores that keep one contract.
enum StoreKind: String, CaseIterable {
    case memory
    /// As behind a network: nothing is answered at once.
    case remoteMemory
    case directory

    var answersWithoutBlocking: Bool { self != .remoteMemory }

    /// Runs a body with an empty store.
    func withStore(_ body: (any SegmentStore) async throws -> Void) async throws {
        switch self {
        case .memory: try await body(MemorySegmentStore())
        case .remoteMemory: try await body(MemorySegmentStore(answersWithoutBlocking: false))
        case .directory:
            let folder = try TemporaryFolder("archive")
            try await body(DirectorySegmentStore.open(folder.path(of: "archive"), logger: silentLogger))
        }
    }
}

/// A directory store with what lies below it.
struct DirectoryArchive {
    let folder: TemporaryFolder
    let root: String
    let store: DirectorySegmentStore

    /// Opens an archive; unless `asksPageCache`, files count as being in memory where no fault says
    /// otherwise, whatever file system the test runs on.
    init(
        asksPageCache: Bool = false,
        fault: @escaping @Sendable (FileOperation, String) -> Int32? = { _, _ in nil },
    ) throws {
        folder = try TemporaryFolder("archive")
        root = folder.path(of: "archive")
        let disk = Disk<StoreError> { operation, path in
            fault(operation, path) ?? (operation == .look && !asksPageCache ? 0 : nil)
        }
        store = try DirectorySegmentStore.open(root, disk: disk, logger: silentLogger)
    }

    /// Looks for an object as a server does: at once, and where that is not possible the long way.
    func look(for key: ArchiveKey) async throws(StoreError) {
        if try store.sourceWithoutBlocking(of: key) == nil { _ = try await store.source(of: key, range: nil) }
    }

    /// Files and folders below the root, without the drafts' folder and its lock.
    func entries() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root).filter { !$0.hasPrefix(".drafts") }.sorted()
    }

    /// Temporary files of drafts.
    func drafts() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root + "/.drafts").filter {
            $0.hasSuffix(".part")
        }
    }

    /// Descriptors of this process that are open below the root, but for the lock.
    func openDescriptors() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
            .filter { $0.hasPrefix(root) && !$0.hasSuffix(".lock") }
    }

    func mode(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: root + "/" + path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }
}

/// 2026-07-14T08:00:00Z, a full hour.
let eight = Instant(seconds: 1_784_016_000)

func channel(_ text: String = "news") throws -> ChannelID {
    guard let id = ChannelID(text) else { throw TestFailure("\(text) is no channel id") }
    return id
}

let video = RenditionID(kind: .video, index: 0)

func segmentName(_ start: Instant = eight, revision: Int16 = 0) -> SegmentName {
    SegmentName(start: start, revision: revision, fileExtension: .transportStream)
}

func segmentKey(
    _ start: Instant = eight, revision: Int16 = 0, in id: String = "news"
) throws -> ArchiveKey {
    .segment(try channel(id), video, segmentName(start, revision: revision))
}

func hour(_ instant: Instant = eight) throws -> ArchiveHour {
    ArchiveHour(channel: try channel(), rendition: video, instant: instant)
}

/// The error that a call ends with.
func failure(_ body: () async throws -> Void) async -> StoreError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? StoreError
    }
}
