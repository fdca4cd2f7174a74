import Glibc
import TestSupport
import Testing
import Timeline

@testable import Journal

@Suite("A journal of facts")
struct JournalTests {
    @Test("Every kind of fact comes back as it was, in order, after a restart")
    func roundTrip() async throws {
        let folder = JournalFolder()
        var description = RenditionDescription(id: RenditionID(kind: .audio, index: 3), position: 2)
        (description.language, description.isDefault) = ("fr", true)
        let attribute = PlaylistAttribute(name: "CHARACTERISTICS", value: "a,b", isQuoted: true)
        (description.attributes, description.media) = ([attribute], [[attribute], []])
        description.repeats = [[attribute]]
        let entries = [
            sourceRun(1), try segment(1), marker(), .rendition(description),
            loss(note: "line\nbreak \"quoted\" \u{0}"),
            try segment(2), try keyPending(3),
        ]
        let positions = try await folder.run { try await $0.append(entries) }
        #expect(positions == positions.sorted())
        #expect(Set(positions).count == entries.count)
        let replayed = try await folder.run { try await $0.replay() }
        #expect(replayed.map(\.1) == entries)
        #expect(replayed.map(\.0) == positions)
    }

    @Test("Replaying twice gives the same, before and after a restart")
    func replayTwice() async throws {
        let folder = JournalFolder()
        let all = try await folder.run { journal in
            _ = try await journal.append([try segment(1), try segment(2)])
            let first = try await journal.replay().map(\.1)
            #expect(try await journal.replay().map(\.1) == first)
            return first
        }
        for _ in 0..<2 {
            #expect(try await folder.run { try await $0.replay().map(\.1) } == all)
        }
    }

    @Test("Parts that are read one behind another are the whole, over files and what is done meanwhile")
    func replayInParts() async throws {
        let folder = JournalFolder()
        let entries = try (0..<20).map { try segment($0) }
        try await folder.run(bounds: FileBounds(fileByteCount: 2_000)) { journal in
            for entry in entries { _ = try await journal.append([entry]) }
            let all = try await journal.replay(limit: 100)
            #expect(Set(all.map(\.0.file)).count > 4)
            var cursor: JournalPosition?
            var parts: [JournalEntry] = []
            while true {
                let part = try await journal.replay(after: cursor, limit: 3)
                #expect(part.count == min(3, 20 - parts.count))
                parts += part.map(\.1)
                await journal.trim(part.prefix(1).map(\.0))
                guard let last = part.last?.0 else { break }
                cursor = last
            }
            #expect(parts == entries)
            #expect(try await journal.replay(after: all[18].0).map(\.0) == [all[19].0])
        }
    }

    @Test("A part is read where it stands: what lies before it in the file is not read again")
    func replayWithoutBeginning() async throws {
        let folder = JournalFolder()
        let entries = try (0..<4).map { try segment($0) }
        try await folder.run { journal in
            let positions = try await journal.append(entries)
            var bytes = try folder.bytes("000001.jsonl")
            let end = try #require(bytes.firstIndex(of: UInt8(ascii: "\n")))
            for index in 0...end { bytes[index] = UInt8(ascii: "x") }
            try folder.write(bytes, to: "000001.jsonl")
            let part = try await journal.replay(after: positions[0], limit: 2)
            #expect(part.map(\.0) == Array(positions[1...2]) && part.map(\.1) == Array(entries[1...2]))
        }
    }

    @Test("What is done in any order is not replayed, now or after a restart")
    func trimming() async throws {
        let folder = JournalFolder()
        let entries = try (0..<6).map { try segment($0) }
        try await folder.run { journal in
            let positions = try await journal.append(entries)
            await journal.trim([positions[4]])
            await journal.trim([positions[1], positions[2]])
            await journal.trim([positions[1]])
            #expect(try await journal.replay().map(\.1) == [entries[0], entries[3], entries[5]])
        }
        try await folder.run { journal in
            let rest = try await journal.replay()
            #expect(rest.map(\.1) == [entries[0], entries[3], entries[5]])
            await journal.trim(rest.map(\.0))
        }
        #expect(try await folder.run { try await $0.waitingCount() } == 0)
        #expect(try folder.files().isEmpty)
    }

    @Test("A record of what is done that a crash has cut costs a repetition and no fact")
    func cutRecord() async throws {
        let folder = JournalFolder()
        let entries = try (0..<3).map { try segment($0) }
        try await folder.run { journal in
            let positions = try await journal.append(entries)
            await journal.trim([positions[0]])
        }
        try folder.write(folder.bytes("000001.done").dropLast(2), to: "000001.done")
        try await folder.run { journal in
            let all = try await journal.replay()
            #expect(all.map(\.1) == entries)
            await journal.trim([all[1].0])
        }
        #expect(try await folder.run { try await $0.replay().map(\.1) } == [entries[0], entries[2]])
    }

    @Test("A record whose file is gone never speaks of the next file of that number")
    func orphanedRecord() async throws {
        let folder = JournalFolder()
        try folder.write(DoneRecord.written([0, 1]), to: "000001.done")
        try await folder.run { _ = try await $0.append([try segment(1)]) }
        #expect(try await folder.run { try await $0.replay().count } == 1)
    }

    @Test("Two owners never write one journal; the second may once the first has closed")
    func lock() async throws {
        let folder = JournalFolder()
        let first = try folder.open()
        #expect(await failure { _ = try folder.open() } == .inUse(folder: folder.path))
        await first.close()
        await (try folder.open()).close()
    }

    @Test("A closed journal takes nothing, and says so")
    func closed() async throws {
        let folder = JournalFolder()
        let journal = try folder.open()
        let channel = try journal.channel(try news())
        _ = try await channel.append([sourceRun(1)])
        await journal.close()
        #expect(await failure { _ = try await channel.append([sourceRun(2)]) } == .closed)
        #expect(await failure { _ = try await channel.replay() } == .closed)
        #expect(await failure { _ = try journal.channel(try news()) } == .closed)
    }

    @Test("A journal that is new holds nothing, and appending nothing writes nothing")
    func empty() async throws {
        let folder = JournalFolder()
        try await folder.run { (journal: ChannelJournal) async throws in
            #expect(try await journal.append([]).isEmpty)
            #expect(try await journal.replay().isEmpty)
            #expect(try await journal.waitingCount() == 0)
        }
    }
}
