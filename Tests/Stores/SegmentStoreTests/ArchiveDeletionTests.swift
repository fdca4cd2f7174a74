import Files
import Foundation
import TestSupport
import Testing
import Timeline

@testable import SegmentStore

@Suite("Deleting from a directory")
struct ArchiveDeletionTests {
    @Test("An hour and a day that are empty go, the rendition stays")
    func emptyFolders() async throws {
        let archive = try DirectoryArchive()
        try await archive.store.put([1], as: try segmentKey())
        _ = try await archive.store.deleteHour(
            channel: try channel(), rendition: video, hour: eight, before: Instant(microseconds: .max),
            keeping: [])
        #expect(try archive.entries() == ["news", "news/v0"])
    }

    @Test("A day with another hour stays")
    func otherHour() async throws {
        let archive = try DirectoryArchive()
        try await archive.store.put([1], as: try segmentKey())
        try await archive.store.put([1], as: try segmentKey(eight + 3600 * Microseconds.perSecond))
        _ = try await archive.store.deleteHour(
            channel: try channel(), rendition: video, hour: eight, before: Instant(microseconds: .max),
            keeping: [])
        #expect(try archive.entries().suffix(2).first == "news/v0/2026-07-14/09")
    }

    @Test("A file that a person has put there stays")
    func foreignFile() async throws {
        let archive = try DirectoryArchive()
        try await archive.store.put([1], as: try segmentKey())
        try archive.folder.write("why", to: "archive/news/v0/2026-07-14/08/notes.txt")
        let deleted = try await archive.store.deleteHour(
            channel: try channel(), rendition: video, hour: eight, before: Instant(microseconds: .max),
            keeping: [])
        #expect(deleted.files == 1)
        #expect(try archive.entries().last == "news/v0/2026-07-14/08/notes.txt")
    }

    @Test("Folders that were deleted are made again")
    func afterwards() async throws {
        let archive = try DirectoryArchive()
        for _ in 0..<3 {
            #expect(try await archive.store.put([1], as: try segmentKey()).wasThere == false)
            _ = try await archive.store.deleteHour(
                channel: try channel(), rendition: video, hour: eight, before: Instant(microseconds: .max),
                keeping: [])
            #expect(try await archive.store.put([1], as: try segmentKey()).wasThere == false)
            try await archive.store.delete(try segmentKey())
        }
    }

    @Test("A folder that another process removes between its making and the link is made again")
    func removedByAnother() async throws {
        let count = Switch()
        let folder = try TemporaryFolder("archive")
        let hour = folder.path(of: "news/v0/2026-07-14/08")
        let disk = Disk<StoreError> { operation, path in
            if operation == .link, !count.value {
                count.value = true
                try? FileManager.default.removeItem(atPath: folder.path(of: "news"))
            }
            return nil
        }
        let store = try DirectorySegmentStore.open(folder.path, disk: disk, logger: silentLogger)
        #expect(try await store.put([1], as: try segmentKey()).wasThere == false)
        #expect(FileManager.default.fileExists(atPath: hour + "/1784016000000.ts"))
    }

    @Test("Commits and deletions of one hour at the same time never fail")
    func race() async throws {
        let archive = try DirectoryArchive()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 0..<40 {
                    try await archive.store.put([UInt8(number)], as: try segmentKey())
                }
            }
            group.addTask {
                for _ in 0..<40 {
                    _ = try await archive.store.deleteHour(
                        channel: try channel(), rendition: video, hour: eight,
                        before: Instant(microseconds: .max), keeping: [])
                }
            }
            try await group.waitForAll()
        }
    }
}
