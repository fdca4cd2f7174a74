import TestSupport
import Testing

@testable import Journal

@Suite("What a crash leaves of a journal")
struct CrashTests {
    @Test("A last line cut at any byte is left out, and all before it is there")
    func tornLine() async throws {
        let folder = JournalFolder()
        try await folder.run { _ = try await $0.append([sourceRun(1), sourceRun(2), sourceRun(3)]) }
        let bytes = try folder.bytes("000001.jsonl")
        let lastBegin = try #require(bytes.dropLast().lastIndex(of: UInt8(ascii: "\n"))) + 1
        for end in lastBegin..<bytes.count {
            let cut = JournalFolder()
            try cut.write(Array(bytes[..<end]), to: "000001.jsonl")
            try await cut.run { journal in
                #expect(try await journal.replay().map(\.1) == [sourceRun(1), sourceRun(2)])
                let next = try await journal.append([sourceRun(4)])
                #expect(next.map(\.file) == [2])
                #expect(try await journal.replay().map(\.1) == [sourceRun(1), sourceRun(2), sourceRun(4)])
            }
            #expect(try cut.files(".corrupt").isEmpty)
        }
    }

    @Test("Zeros where the last lines should be are a cut end too")
    func zeros() async throws {
        let folder = JournalFolder()
        try await folder.run { _ = try await $0.append([sourceRun(1), sourceRun(2)]) }
        try folder.write(
            try folder.bytes("000001.jsonl") + [UInt8](repeating: 0, count: 4096), to: "000001.jsonl")
        #expect(try await folder.run { try await $0.replay().map(\.1) } == [sourceRun(1), sourceRun(2)])
        #expect(try folder.files(".corrupt").isEmpty)
    }

    @Test("A damaged line in the middle is left out, and the file is kept aside once")
    func damagedLine() async throws {
        let folder = JournalFolder()
        try await folder.run { _ = try await $0.append([sourceRun(1), sourceRun(2), sourceRun(3)]) }
        var bytes = try folder.bytes("000001.jsonl")
        let second = try #require(bytes.firstIndex(of: UInt8(ascii: "\n"))) + 20
        bytes[second] ^= 1
        try folder.write(bytes, to: "000001.jsonl")
        for _ in 0..<2 {
            try await folder.run { journal in
                let replayed = try await journal.replay()
                #expect(replayed.map(\.1) == [sourceRun(1), sourceRun(3)])
                #expect(replayed.map(\.0.line) == [0, 2])
            }
            #expect(try folder.files(".corrupt") == ["000001.corrupt"])
            #expect(try folder.bytes("000001.corrupt") == bytes)
        }
        try await folder.run { journal in
            await journal.trim(try await journal.replay().map(\.0))
            #expect(try await journal.append([sourceRun(4)]).map(\.file) == [2])
        }
        #expect(try folder.files() == ["000001.corrupt", "000002.jsonl"])
    }

    @Test("A journal that was not closed is read all the same")
    func unclosed() async throws {
        let folder = JournalFolder()
        do {
            let journal = try folder.open()
            _ = try await journal.channel(try news()).append([sourceRun(1)])
        }
        try await eventually("the lock") { (try? await folder.run { _ in }) != nil }
        #expect(try await folder.run { try await $0.replay().map(\.1) } == [sourceRun(1)])
    }

    @Test("Files of other names are left alone")
    func foreign() async throws {
        let folder = JournalFolder()
        for name in ["notes.txt", "1.jsonl", "000000.jsonl", "000001.jsonl.bak"] {
            try folder.write([1], to: name)
        }
        try await folder.run { _ = try await $0.append([sourceRun(1)]) }
        #expect(try folder.files().count == 5)
    }
}
