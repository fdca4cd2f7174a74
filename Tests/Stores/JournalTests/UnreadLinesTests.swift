import Files
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Journal

@Suite("Lines that the catalogue refuses")
struct RefusedLinesTests {
    @Test("are set aside durably, are done, and are tried again at each start")
    func refused() async throws {
        let folder = JournalFolder()
        for _ in 0..<2 {
            let journal = try folder.open()
            let channel = try journal.channel(try news())
            if try await channel.waitingCount() == 0 {
                _ = try await channel.append([sourceRun(1), sourceRun(2)])
            }
            let lines = try await channel.replay()
            let refused = try #require(lines.first { $0.1 == sourceRun(2) })
            #expect(
                try await channel.setAside(
                    refused: [(refused.1, refused.0), (sourceRun(3), nil)], because: "by the test"))
            #expect(Array(journal.refusedLines.values) == [2])
            await channel.trim(lines.map(\.0))
            await journal.close()
            #expect(try folder.files() == ["refused.jsonl"])
        }
        let entries = try await folder.run { try await $0.replay().map(\.1) }
        #expect(entries == [sourceRun(2), sourceRun(3)])
    }
}

@Suite("Lines that this version cannot read")
struct UnreadLinesTests {
    private static let newer = JournalLine.written(Array(#"{"v":2,"segment":{"packed":"AAEC"}}"#.utf8))
    private static let kinds = [
        newer, JournalLine.written(Array(#"{"v":1,"programme":{"id":1}}"#.utf8)),
        JournalLine.written(Array(#"{"v":1,"loss":{"window":{"begin":1,"end":2},"reason":99}}"#.utf8)),
        JournalLine.written(Array("no JSON".utf8)),
    ]

    /// A folder whose file has a readable line, one that is not, and a readable one.
    private static func folder(_ line: [UInt8]) async throws -> JournalFolder {
        let folder = JournalFolder()
        try await folder.run { _ = try await $0.append([sourceRun(1), sourceRun(2)]) }
        let lines = try folder.bytes("000001.jsonl").split(separator: UInt8(ascii: "\n"))
        let end = [UInt8(ascii: "\n")]
        try folder.write(Array(lines[0]) + end + line + Array(lines[1]) + end, to: "000001.jsonl")
        return folder
    }

    @Test("are set aside, whatever is the matter with them, and the others go in", arguments: kinds)
    func setAside(line: [UInt8]) async throws {
        let folder = try await Self.folder(line)
        let journal = try folder.open()
        let channel = try journal.channel(try news())
        let replayed = try await channel.replay()
        #expect(replayed.map(\.1) == [sourceRun(1), sourceRun(2)])
        #expect(Array(journal.unreadLines.values) == [1])
        await channel.trim(replayed.map(\.0))
        #expect(try await channel.replay().isEmpty)
        #expect(try await channel.waitingCount() == 0)
        await journal.close()
        #expect(try folder.files() == ["unread.jsonl"])
        #expect(try folder.bytes("unread.jsonl") == line)
    }

    @Test("are tried again at each start, and are there once however often that is")
    func everyStart() async throws {
        let folder = try await Self.folder(Self.newer)
        for _ in 0..<3 {
            let journal = try folder.open()
            let channel = try journal.channel(try news())
            #expect(try await channel.replay().map(\.1) == [sourceRun(1), sourceRun(2)])
            #expect(Array(journal.unreadLines.values) == [1])
            await journal.close()
            #expect(try folder.bytes("unread.jsonl") == Self.newer)
        }
    }

    @Test("go in as soon as a version can read them")
    func readAgain() async throws {
        let folder = try await Self.folder(Self.newer)
        try await folder.run { await $0.trim(try await $0.replay().map(\.0)) }
        #expect(try folder.files() == ["unread.jsonl"])
        // As if this version could read the line: in its place lies one that it can.
        let readable = JournalFolder()
        try await readable.run { _ = try await $0.append([sourceRun(7)]) }
        try folder.write(try readable.bytes("000001.jsonl"), to: "unread.jsonl")
        try await folder.run { journal in
            _ = try await journal.append([sourceRun(8)])
            let replayed = try await journal.replay()
            #expect(replayed.map(\.1) == [sourceRun(7), sourceRun(8)])
            await journal.trim(replayed.map(\.0))
        }
        #expect(try folder.files().isEmpty)
    }

    @Test("stay in their file, and are tried again, when they cannot be set aside")
    func cannotSetAside() async throws {
        for hasRoom in [false, true] {
            let folder = try await Self.folder(Self.newer)
            let bytes = try folder.bytes("000001.jsonl")
            var bounds = FileBounds()
            if !hasRoom { bounds.setAsideByteCount = 10 }
            let journal = try folder.open(bounds: bounds) { operation, path in
                hasRoom && operation == .sync && path.hasSuffix("unread.jsonl") ? EIO : nil
            }
            let channel = try journal.channel(try news())
            let replayed = try await channel.replay()
            #expect(replayed.map(\.1) == [sourceRun(1), sourceRun(2)])
            await channel.trim(replayed.map(\.0))
            await journal.close()
            #expect(try folder.bytes("000001.jsonl") == bytes)
            #expect(try await folder.run { try await $0.replay().count } == 0)
            #expect(Array(try folder.bytes("unread.jsonl").suffix(Self.newer.count)) == Self.newer)
        }
    }
}
