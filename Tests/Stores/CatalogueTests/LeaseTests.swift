import Postgres
import Testing
import Timeline

@testable import Catalogue

@Suite("Leases")
struct LeaseTests {
    private let own = ChannelRecording.node
    private let other = ChannelRecording.otherNode

    @Test("A free channel can be leased, and leasing it again raises the fence")
    func ownLease() async throws {
        try await withCatalogue { test in
            let channel = try await test.catalogue.create(try settings("news"))
            try await test.catalogue.heartbeat(node: own, seconds: 600)
            let first = try await test.catalogue.takeLease(channel: channel.row, node: own)
            let second = try await test.catalogue.takeLease(channel: channel.row, node: own)
            #expect(first?.fence == 1 && second?.fence == 2)
            #expect(
                first?.publishedHead.discontinuitySequence == 0 && first?.publishedHead.targetSeconds == 0)
        }
    }

    @Test(
        "An owner keeps its lease until its heartbeat runs out; then another node gets a higher fence"
    )
    func foreign() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.catalogue.heartbeat(node: other, seconds: 600)
            #expect(try await test.catalogue.takeLease(channel: recording.row, node: other) == nil)
            try await test.catalogue.heartbeat(node: own, seconds: -1)
            let taken = try await test.catalogue.takeLease(channel: recording.row, node: other)
            #expect(taken?.fence == recording.fence + 1)
            try await test.catalogue.heartbeat(node: own, seconds: 600)
            #expect(try await test.catalogue.takeLease(channel: recording.row, node: own) == nil)
        }
    }

    @Test("Nodes that are long gone are forgotten, and what they owned can be taken as before")
    func goneNodes() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.catalogue.heartbeat(node: own, seconds: -8 * 86_400)
            try await test.catalogue.heartbeat(node: other, seconds: -6 * 86_400)
            try await test.catalogue.pruneNodes()
            #expect(try await test.number("SELECT count(*) FROM node") == 1)
            #expect(try await test.number("SELECT count(*) FROM node WHERE node_id = \(other)::uuid") == 1)
            #expect(try await test.catalogue.takeLease(channel: recording.row, node: other) != nil)
        }
    }

    @Test("Without taking over, a node only gets free channels and its own")
    func withoutTakingOver() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.catalogue.heartbeat(node: own, seconds: -1)
            let row = recording.row
            #expect(try await test.catalogue.takeLease(channel: row, node: other, takesOver: false) == nil)
            let again = try await test.catalogue.takeLease(channel: row, node: own, takesOver: false)
            try await test.catalogue.releaseLease(
                channel: row, fence: try #require(again).fence, node: own)
            #expect(try await test.catalogue.takeLease(channel: row, node: other, takesOver: false) != nil)
        }
    }

    @Test("An owner that never sent a heartbeat counts as expired")
    func silent() async throws {
        try await withCatalogue { test in
            let channel = try await test.catalogue.create(try settings("news"))
            _ = try await test.catalogue.takeLease(channel: channel.row, node: own)
            #expect(try await test.catalogue.takeLease(channel: channel.row, node: other)?.fence == 2)
        }
    }

    @Test("A released lease is free at once, but only the current fence can release it")
    func release() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.catalogue.heartbeat(node: other, seconds: 600)
            try await test.catalogue.releaseLease(
                channel: recording.row, fence: recording.fence - 1, node: own)
            #expect(try await test.catalogue.takeLease(channel: recording.row, node: other) == nil)
            try await test.catalogue.releaseLease(
                channel: recording.row, fence: recording.fence, node: own)
            #expect(try await test.catalogue.takeLease(channel: recording.row, node: other) != nil)
        }
    }

    /// ```
    /// own                       other
    /// takes fence 1
    ///                           takes fence 2     is lost with the former primary
    /// takes fence 2
    ///                           commits, releases
    /// ```
    @Test(
        "After a fail-over that lost a take-over, the node that has it no more cannot publish or release",
        arguments: [false, true])
    func lostTakeOver(inGroup: Bool) async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let beside = try await ChannelRecording("sport", in: test)
            func take(_ node: String) async throws -> Lease {
                try #require(try await test.catalogue.takeLease(channel: recording.row, node: node))
            }
            func commit(_ numbers: Range<Int64>, _ lease: Lease) async throws -> Bool? {
                var batch = recording.batch(recording.published(numbers))
                (batch.fence, batch.node) = (lease.fence, lease.node)
                guard inGroup else { return try await test.catalogue.commit(batch) }
                return try await test.catalogue.commit([batch, beside.batch()])[recording.row]
            }
            try await test.catalogue.heartbeat(node: own, seconds: -1)
            let lost = try await take(other)
            _ = try await test.pool.query(
                """
                UPDATE line SET fence = fence - 1, node_id = \(own)::uuid WHERE channel_id = \(recording.row)
                """)
            try await test.catalogue.heartbeat(node: own, seconds: 600)
            let valid = try await take(own)
            #expect(lost.fence == valid.fence)
            #expect(try await commit(0..<2, valid) == true)
            let before = try await test.catalogue.publishedHead(of: recording.row)
            #expect(try await commit(2..<4, lost) == false)
            #expect(try await test.catalogue.publishedHead(of: recording.row) == before)
            #expect(try await test.held(recording).map(\.number) == [0, 1, nil, nil])
            try await test.catalogue.releaseLease(
                channel: recording.row, fence: lost.fence, node: other)
            #expect(try await test.catalogue.takeLease(channel: recording.row, node: other) == nil)
            #expect(try await commit(4..<6, valid) == true)
            try await test.catalogue.releaseLease(
                channel: recording.row, fence: valid.fence, node: own)
            #expect(try await commit(6..<8, valid) == false)
        }
    }

    @Test("A lease contains the published head")
    func publishedHead() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            _ = try await test.catalogue.commit(
                recording.batch(recording.published(0..<2, sequence: 5), sequence: 5, watermark: second))
            let publishedHead = try await test.catalogue.takeLease(channel: recording.row, node: own)?
                .publishedHead
            #expect(
                publishedHead
                    == PublishedHead(
                        discontinuitySequence: 5, end: midnight + 8 * second, watermark: midnight + second,
                        expiredBefore: Instant(microseconds: 0), targetSeconds: 4))
            #expect(try await test.catalogue.publishedHead(of: recording.row) == publishedHead)
        }
    }
}
