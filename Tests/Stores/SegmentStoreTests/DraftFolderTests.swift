import Foundation
import TestSupport
import Testing

@testable import SegmentStore

@Suite("What drafts leave behind")
struct DraftFolderTests {
    @Test("Drafts of a process that has died are removed at the next opening")
    func leftovers() throws {
        let folder = try TemporaryFolder("archive")
        for name in ["00000000000000aa.lock", "00000000000000aa-1.part", "00000000000000bb-7.part"] {
            try folder.write("x", to: ".drafts/\(name)")
        }
        let store = try DirectorySegmentStore.open(folder.path, logger: silentLogger)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(of: ".drafts"))
        #expect(names.count == 1)
        #expect(names.first?.hasSuffix(".lock") == true)
        withExtendedLifetime(store) {}
    }

    @Test("Drafts of a living process stay, and its commit succeeds")
    func living() async throws {
        let archive = try DirectoryArchive()
        let draft = try await archive.store.makeDraft()
        try await draft.append([1])
        let other = try DirectorySegmentStore.open(archive.root, logger: silentLogger)
        #expect(try archive.drafts().count == 1)
        _ = try await draft.commit(as: try segmentKey())
        #expect(try await other.read(try segmentKey()) == [1])
    }

    @Test("Files of another form are no drafts and stay")
    func foreign() throws {
        let folder = try TemporaryFolder("archive")
        try folder.write("x", to: ".drafts/notes.part")
        _ = try DirectorySegmentStore.open(folder.path, logger: silentLogger)
        #expect(FileManager.default.fileExists(atPath: folder.path(of: ".drafts/notes.part")))
    }

    @Test("A store that is gone leaves no lock file")
    func lockFile() throws {
        let folder = try TemporaryFolder("archive")
        do { _ = try DirectorySegmentStore.open(folder.path, logger: silentLogger) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path(of: ".drafts")).isEmpty)
    }
}
