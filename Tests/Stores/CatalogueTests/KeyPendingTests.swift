import Postgres
import Testing
import Timeline

@testable import Catalogue

@Suite("Segments whose key is missing")
struct KeyPendingTests {
    private func pending(_ fact: SegmentFact) -> KeyPendingSegment {
        KeyPendingSegment(
            channel: fact.channel, identity: fact.identity, start: fact.start, duration: fact.duration,
            container: .transportStream, cipher: .init(keyURL: "http://keys.test/1", iv: []),
            arrived: fact.arrived, source: "http://origin.test/")
    }

    private func formats(_ test: TestCatalogue) async throws -> [String] {
        try await test.pool.query("SELECT state FROM intake ORDER BY origin_number").map {
            try $0.decode("state")
        }
    }

    @Test(
        "No playlist lists them, but they are known: they are not fetched again, and windows are not settled")
    func waiting() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let fact = recording.fact(1)
            var batch = recording.batch([.archived(recording.fact(0))])
            batch.keyPending = [pending(fact), pending(recording.fact(1, of: audio))]
            for _ in 0..<2 { #expect(try await test.catalogue.commit(batch)) }
            #expect(try await test.starts(recording) == [0])
            let heads = try await test.catalogue.heads(of: recording.row)
            let known = heads.first { $0.description.id == video }?.known
            #expect(known?.map(\.isKeyPending) == [false, true] && known?.map(\.isLost) == [false, false])
            #expect(heads.contains { $0.description.id == audio })
            let times = try await test.catalogue.head(of: recording.row).pending
            #expect(times == [fact, fact].map { TimeWindow(begin: $0.start, end: $0.end) })
        }
    }

    @Test(
        "When the key arrives, the segment is stored, published or in the archive only, and no longer pending"
    )
    func late() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var batch = recording.batch()
            batch.keyPending = [pending(recording.fact(0)), pending(recording.fact(1))]
            #expect(try await test.catalogue.commit(batch))
            let came = recording.batch([
                DecidedSegment(fact: recording.fact(0), number: 0, discontinuitySequence: 0),
                .archived(recording.fact(1)),
            ])
            #expect(try await test.catalogue.commit(came))
            #expect(try await test.held(recording).map(\.number) == [0, nil])
            // A batch whose result was lost is committed again: what is stored stays stored.
            #expect(try await test.catalogue.commit(batch))
            #expect(try await formats(test) == ["stored", "stored"])
            #expect(try await test.catalogue.head(of: recording.row).pending.isEmpty)
        }
    }

    @Test("The key and its segment may be in one batch")
    func atOnce() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var batch = recording.batch([.archived(recording.fact(0))])
            batch.keyPending = [pending(recording.fact(0))]
            #expect(try await test.catalogue.commit(batch))
            #expect(try await formats(test) == ["stored"])
            #expect(try await test.starts(recording) == [0])
        }
    }

    @Test("What is still to be fetched is pending until it is stored or lost, or for six hours")
    func listed() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let facts = (0..<4).map { recording.fact($0) }
            var batch = recording.batch()
            batch.keyPending = [pending(facts[0])]
            batch.listed = facts.map {
                PlacedSegment(identity: $0.identity, start: $0.start, duration: $0.duration)
            }
            for _ in 0..<2 { #expect(try await test.catalogue.commit(batch)) }
            // One that waits for its key goes on waiting.
            #expect(try await formats(test) == ["key_pending", "listed", "listed", "listed"])
            #expect(try await test.catalogue.head(of: recording.row).pending == [window(0, 16 * second)])
            let known = try await test.catalogue.heads(of: recording.row).first?.known
            #expect(known?.map(\.isStored) == [false, false, false, false])
            var settled = recording.batch([.archived(facts[1])])
            settled.lost = [batch.listed[2]]
            #expect(try await test.catalogue.commit(settled))
            #expect(try await test.catalogue.commit(batch))
            #expect(try await formats(test) == ["key_pending", "stored", "lost", "listed"])
            let times = try await test.catalogue.head(of: recording.row).pending.sorted {
                $0.begin < $1.begin
            }
            #expect(times == [window(0, 4 * second), window(12 * second, 16 * second)])
            _ = try await test.pool.query("UPDATE intake SET seen_at = now() - interval '7 hours'")
            #expect(try await test.catalogue.head(of: recording.row).pending.count == 1)
        }
    }

    @Test(
        "However many are pending, windows with the first of them are not settled, and few times are read",
        arguments: [(1001, 1, 1), (1002, 2, 1001)] as [(Int64, Int64, Int)])
    func many(count: Int64, step: Int64, times: Int) async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var batch = recording.batch()
            batch.keyPending = (0..<count).map { pending(recording.fact($0 * step)) }
            #expect(try await test.catalogue.commit(batch))
            let found = try await test.catalogue.head(of: recording.row).pending.sorted {
                $0.begin < $1.begin
            }
            #expect(found.count == times)
            #expect(found.first?.begin == midnight)
            #expect(found.last?.end == recording.fact((count - 1) * step).end)
            if step == 2 {
                #expect(found.first == window(0, 12 * second), "the two oldest are one time")
                #expect(!found.contains { $0.overlaps(window(12 * second, 16 * second)) })
            }
        }
    }

    @Test(
        "The times of the newest are read one by one, and one that reaches back to the first",
        arguments: [0, 2])
    func oldest(older: Int64) async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var batch = recording.batch()
            let newest = 10..<10 + Limits.pendingSegments
            batch.keyPending = (Array(0..<older) + newest).map { pending(recording.fact($0)) }
            #expect(try await test.catalogue.commit(batch))
            let begin = older > 0 ? recording.fact(0).start : recording.fact(newest.lowerBound).start
            let all = TimeWindow(begin: begin, end: recording.fact(newest.upperBound - 1).end)
            #expect(try await test.catalogue.head(of: recording.row).pending == [all])
        }
    }

    @Test("If the key never arrives, the segment is lost and no longer pending")
    func never() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let fact = recording.fact(0)
            var batch = recording.batch()
            batch.keyPending = [pending(fact)]
            #expect(try await test.catalogue.commit(batch))
            batch = recording.batch()
            batch.lost = [PlacedSegment(identity: fact.identity, start: fact.start, duration: fact.duration)]
            #expect(try await test.catalogue.commit(batch))
            #expect(try await formats(test) == ["lost"])
            #expect(try await test.catalogue.head(of: recording.row).pending.isEmpty)
        }
    }
}
