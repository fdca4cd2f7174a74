import Foundation
import TestSupport
import Testing

@testable import SegmentStore

@Suite("What drafts leave behind")
struct DraftFolderTests {
    @Test("Drafts of a process that has died are removed at the next opening")
    func leftovers() throws {
        let folder = try TemporaryFolder("archive")
        for name in ["000000aa.lock", "000000aa-1.part", "000000bb-7.part"] {
            try folder.write("x", to: ".drafts/\(DraftFolder.hostDigits)\(name)")
        }
        let store = try DirectorySegmentStore.open(folder.path, logger: silentLogger)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(of: ".drafts"))
        #expect(names.count == 1)
        #expect(names.first?.hasSuffix(".lock") == true)
        withExtendedLifetime(store) {}
    }

    @Test("Free locks of another host are believed when all of its files are old")
    func foreignHost() throws {
        let folder = try TemporaryFolder("archive")
        let other = DraftFolder.hostDigits == "00000000" ? "11111111" : "00000000"
        let old = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -7200)]
        for (name, isOld) in [
            ("000000aa.lock", true), ("000000aa-1.part", false), ("000000bb.lock", true),
            ("000000bb-1.part", true),
        ] {
            try folder.write("x", to: ".drafts/\(other)\(name)")
            let path = folder.path(of: ".drafts/\(other)\(name)")
            if isOld { try FileManager.default.setAttributes(old, ofItemAtPath: path) }
        }
        let store = try DirectorySegmentStore.open(folder.path, logger: silentLogger)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(of: ".drafts"))
        #expect(
            Set(names.filter { $0.hasPrefix(other) }) == ["\(other)000000aa.lock", "\(other)000000aa-1.part"])
        withExtendedLifetime(store) {}
    }

    @Test("An archive that is opened for reading is not touched, and refuses to be written")
    func reading() async throws {
        let archive = try DirectoryArchive()
        let draft = try await archive.store.makeDraft()
        try await draft.append([1])
        _ = try await draft.commit(as: try segmentKey())
        let before = try FileManager.default.subpathsOfDirectory(atPath: archive.root).sorted()
        let reader = DirectorySegmentStore.openForReading(archive.root)
        #expect(try await reader.read(try segmentKey()) == [1])
        await #expect(throws: StoreError.readOnly) { _ = try await reader.makeDraft() }
        await #expect(throws: StoreError.readOnly) { try await reader.delete(try segmentKey()) }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: archive.root).sorted() == before)
        let missing = DirectorySegmentStore.openForReading(archive.root + "/none/")
        await #expect(throws: StoreError.self) { _ = try await missing.space() }
        #expect(!FileManager.default.fileExists(atPath: archive.root + "/none"))
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
