import Foundation
import HTTP
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
        let source = try #require(try archive.store.sourceAtOnce(of: try segmentKey()))
        guard case .file(let slice) = source.with(range: 1..<3).body else {
            throw TestFailure("\(source.body)")
        }
        #expect((slice.offset, slice.byteCount) == (1, 2))
        var bytes = [UInt8](repeating: 0, count: 2)
        #expect(pread(slice.file.descriptor, &bytes, 2, off_t(slice.offset)) == 2)
        #expect(bytes == [2, 3])
    }

    @Test("A folder or a link under its name is no object")
    func noFile() async throws {
        let archive = try DirectoryArchive()
        let hour = archive.root + "/news/v0/2026-07-14/08"
        try FileManager.default.createDirectory(
            atPath: hour + "/1784016000000.ts", withIntermediateDirectories: true)
        let key = try segmentKey()
        #expect(await failure { _ = try archive.store.sourceAtOnce(of: key) } == .notFound(key))
        try FileManager.default.createSymbolicLink(
            atPath: hour + "/1784016001000.ts", withDestinationPath: "/etc/hostname")
        let linked = try segmentKey(eight + Microseconds.perSecond)
        #expect(await failure { _ = try archive.store.sourceAtOnce(of: linked) } == .notFound(linked))
    }
}
