import Foundation
import HTTP
import TestSupport
import Testing
import Timeline

@testable import SegmentStore

@Suite("An object opened for sending")
struct ArchiveFileTests {
    @Test("It can be read to its end after it was deleted")
    func deletedWhileOpen() async throws {
        let archive = try Archive()
        try await archive.store.put([1, 2, 3], as: try segmentKey())
        let file = try archive.store.open(try segmentKey())
        try await archive.store.delete(try segmentKey())
        var bytes = [UInt8](repeating: 0, count: 3)
        #expect(pread(file.descriptor, &bytes, 3, 0) == 3)
        #expect(bytes == [1, 2, 3])
    }

    @Test("A folder or a link under its name is no object")
    func noFile() async throws {
        let archive = try Archive()
        let hour = archive.root + "/news/v0/2026-07-14/08"
        try FileManager.default.createDirectory(
            atPath: hour + "/1784016000000.ts", withIntermediateDirectories: true)
        let key = try segmentKey()
        #expect(await failure { _ = try archive.store.open(key) } == .notFound(key))
        try FileManager.default.createSymbolicLink(
            atPath: hour + "/1784016001000.ts", withDestinationPath: "/etc/hostname")
        let linked = try segmentKey(eight + Microseconds.perSecond)
        #expect(await failure { _ = try archive.store.open(linked) } != nil)
    }
}
