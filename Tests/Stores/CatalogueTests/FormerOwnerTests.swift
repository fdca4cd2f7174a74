import Postgres
import Testing
import Timeline

@testable import Catalogue

/// A former owner's journal delivers segments that the current owner publishes too.
@Suite("Segments of a former owner")
struct FormerOwnerTests {
    private func takenOver(_ test: TestCatalogue) async throws -> (
        former: ChannelRecording, present: ChannelRecording
    ) {
        let former = try await ChannelRecording(in: test)
        var present = former
        try await test.publish(0..<2, on: former)
        try await test.catalogue.heartbeat(node: ChannelRecording.node, seconds: -1)
        present.fence = try #require(
            try await test.catalogue.takeLease(channel: former.row, node: ChannelRecording.otherNode)
        ).fence
        return (former, present)
    }

    @Test("What the current owner has published stays")
    func afterPublishing() async throws {
        try await withCatalogue { test in
            let (former, present) = try await takenOver(test)
            try await test.publish(2..<4, on: present)
            #expect(try await test.publish(2..<5, on: former) == false)
            #expect(try await test.held(former).map(\.number) == [0, 1, 2, 3, nil])
            #expect(try await test.number("SELECT unpublished::bigint FROM block") == 1)
        }
    }

    @Test("A segment stored unpublished is published by the current owner, without a hole in the numbers")
    func beforePublishing() async throws {
        try await withCatalogue { test in
            let (former, present) = try await takenOver(test)
            #expect(try await test.publish(2..<4, on: former) == false)
            #expect(try await test.held(former).map(\.number) == [0, 1, nil, nil])
            for _ in 0..<2 { #expect(try await test.publish(2..<5, on: present)) }
            #expect(try await test.held(former).map(\.number) == [0, 1, 2, 3, 4])
            #expect(try await test.number("SELECT unpublished::bigint FROM block") == 0)
            #expect(try await test.number("SELECT segments::bigint FROM block") == 5)
        }
    }

    @Test(
        "What lies over the edge of a quarter is shortened, as within one", arguments: [897, 901] as [Int64])
    func overEdge(archived: Int64) async throws {
        try await withCatalogue { test in
            let (former, present) = try await takenOver(test)
            let early = former.fact(77, run: 9, at: archived * second)
            #expect(try await test.catalogue.commit(former.batch([.archived(early)])) == false)
            let published = present.fact(225, at: (archived == 897 ? 900 : 898) * second)
            let batch = present.batch([DecidedSegment(fact: published, number: 2, discontinuitySequence: 0)])
            #expect(try await test.catalogue.commit(batch))
            let overlaps = try await test.number(
                """
                SELECT count(*) FROM segment a JOIN segment b ON a.start_us < b.start_us
                    AND a.start_us + a.duration_us > b.start_us
                """)
            #expect(overlaps == 0)
        }
    }

    @Test("The current owner's start time wins, and its segments replace archived ones with the same start")
    func otherTimes() async throws {
        try await withCatalogue { test in
            let (former, present) = try await takenOver(test)
            let early = former.fact(2, at: 8 * second - 3)
            let otherFeed = former.fact(77, run: 9, at: 12 * second)
            let batch = former.batch([.archived(early), .archived(otherFeed)])
            #expect(try await test.catalogue.commit(batch) == false)
            #expect(try await test.publish(2..<4, on: present))
            #expect(try await test.starts(former) == [0, 4, 8, 12].map { $0 * second })
            #expect(try await test.held(former).map(\.number) == [0, 1, 2, 3])
        }
    }
}
