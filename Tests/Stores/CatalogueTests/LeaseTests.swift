import Testing
import Timeline

@testable import Catalogue

@Suite("Leases")
struct LeaseTests {
    private let own = Tape.node
    private let other = Tape.otherNode

    @Test("A free channel can be leased, and leasing it again raises the fence")
    func ownLease() async throws {
        try await withCatalogue { test in
            let channel = try await test.catalogue.create(try settings("news"))
            try await test.catalogue.heartbeat(node: own, seconds: 60)
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
            let tape = try await Tape(in: test)
            try await test.catalogue.heartbeat(node: other, seconds: 60)
            #expect(try await test.catalogue.takeLease(channel: tape.row, node: other) == nil)
            try await test.catalogue.heartbeat(node: own, seconds: -1)
            let taken = try await test.catalogue.takeLease(channel: tape.row, node: other)
            #expect(taken?.fence == tape.fence + 1)
            try await test.catalogue.heartbeat(node: own, seconds: 60)
            #expect(try await test.catalogue.takeLease(channel: tape.row, node: own) == nil)
        }
    }

    @Test("Without taking over, a node only gets free channels and its own")
    func withoutTakingOver() async throws {
        try await withCatalogue { test in
            let tape = try await Tape(in: test)
            try await test.catalogue.heartbeat(node: own, seconds: -1)
            let row = tape.row
            #expect(try await test.catalogue.takeLease(channel: row, node: other, takesOver: false) == nil)
            let again = try await test.catalogue.takeLease(channel: row, node: own, takesOver: false)
            try await test.catalogue.releaseLease(channel: row, fence: try #require(again).fence)
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
            let tape = try await Tape(in: test)
            try await test.catalogue.heartbeat(node: other, seconds: 60)
            try await test.catalogue.releaseLease(channel: tape.row, fence: tape.fence - 1)
            #expect(try await test.catalogue.takeLease(channel: tape.row, node: other) == nil)
            try await test.catalogue.releaseLease(channel: tape.row, fence: tape.fence)
            #expect(try await test.catalogue.takeLease(channel: tape.row, node: other) != nil)
        }
    }

    @Test("A lease contains the published head")
    func publishedHead() async throws {
        try await withCatalogue { test in
            let tape = try await Tape(in: test)
            _ = try await test.catalogue.commit(
                tape.batch(tape.published(0..<2, sequence: 5), sequence: 5, watermark: second))
            let publishedHead = try await test.catalogue.takeLease(channel: tape.row, node: own)?
                .publishedHead
            #expect(
                publishedHead
                    == PublishedHead(
                        discontinuitySequence: 5, end: midnight + 8 * second, watermark: midnight + second,
                        expiredBefore: Instant(microseconds: 0), targetSeconds: 4))
            #expect(try await test.catalogue.publishedHead(of: tape.row) == publishedHead)
        }
    }
}
