import Catalogue
import HTTP
import HTTPSupport
import Postgres
import TestSupport
import Testing
import Timeline

@testable import AdminAPI

@Suite struct ChannelDeletionTests {
    @Test("A deleted channel is unknown and not listed; a new channel with its id continues its row")
    func tombstone() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let id = try #require(ChannelID("a"))
            let row = try await admin.catalogue.channel(id)?.row
            let gone = try await admin.send(.delete, "/api/v1/channels/a")
            #expect(gone.status == 204 && gone.text.isEmpty)
            for path in ["", "/status", "/timeline"] {
                #expect(try await admin.send(.get, "/api/v1/channels/a" + path).isProblem(404))
            }
            #expect(try await admin.send(.delete, "/api/v1/channels/a").isProblem(404))
            #expect(try await admin.send(.get, "/api/v1/channels").text.contains(#""items":[]"#))
            try await admin.create("a")
            #expect(try await admin.catalogue.channel(id)?.row == row)
        }
    }

    @Test("A purge deletes all entries of the channel, and retention deletes the bytes")
    func purge() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let channel = try await admin.record("a", minutes: 2)
            #expect(try await admin.send(.delete, "/api/v1/channels/a?purge=true").status == 204)
            try await admin.expectNothingHeld(of: channel)
            let left = try #require(await admin.catalogue.channel(channel.id))
            #expect(left.isDeleted && left.settings.retentionSeconds == 0 && !left.settings.recording)
            let hours = try await admin.pool.query("SELECT FROM pending_deletion_hour")
            #expect(!hours.isEmpty)
            let timeline = try await admin.catalogue.timeline(
                of: left, in: TimeWindow(begin: Instant(microseconds: 0), end: TestAdmin.now))
            #expect(timeline.spans.isEmpty && timeline.gaps.isEmpty)
        }
    }

    @Test("The recordings of a deleted channel can be purged later, more than once")
    func latePurge() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let channel = try await admin.record("a", minutes: 2)
            #expect(try await admin.send(.delete, "/api/v1/channels/a?purge=false").status == 204)
            for _ in 1...2 {
                #expect(try await admin.send(.delete, "/api/v1/channels/a?purge=true").status == 204)
                try await admin.expectNothingHeld(of: channel)
                #expect(try await admin.send(.get, "/api/v1/channels/a").isProblem(404))
            }
        }
    }

    @Test("A purge that takes long is answered 202 and continues; the same request waits for it")
    func longPurge() async throws {
        try await withAdmin(purgeAnswer: .milliseconds(200)) { admin async throws in
            try await admin.create("a")
            let channel = try await admin.record("a", minutes: 2)
            let path = "/api/v1/channels/a?purge=true"
            let tag = try #require(try await admin.send(.get, "/api/v1/channels/a").headers["ETag"])
            try await admin.pool.transaction { transaction in
                // The purge waits for these rows.
                _ = try await transaction.query("SELECT FROM block FOR UPDATE")
                for _ in 1...2 {
                    let answer = try await admin.send(.delete, path, fields: ["If-Match": tag])
                    #expect(answer.status == 202 && answer.text.contains("detail"))
                    // Whatever becomes of the purge, the channel is deleted.
                    #expect(try await admin.send(.get, "/api/v1/channels/a").status == 404)
                }
            }
            try await eventually("the end of the purge") {
                try await admin.send(.delete, path, fields: ["If-Match": tag]).status == 204
            }
            try await admin.expectNothingHeld(of: channel)
        }
    }

    @Test("The failure of a purge that was answered 202 is told to the next request, once")
    func failedPurge() async throws {
        let (purges, id) = (Purges(), try #require(ChannelID("a")))
        let failed = purges.purge(of: id) { () async throws(CatalogueError) in throw .notInTime }
        await #expect(throws: CatalogueError.self) { try await failed.value.get() }
        let next = purges.purge(of: id) { () async throws(CatalogueError) in }
        #expect(next == failed)
        purges.forget(failed, of: id)
        let again = purges.purge(of: id) { () async throws(CatalogueError) in }
        try await again.value.get()
        #expect(again != failed)
    }

    @Test("An unknown channel cannot be deleted, and purge must be true or false")
    func refusals() async throws {
        try await withAdmin { admin async throws in
            #expect(try await admin.send(.delete, "/api/v1/channels/a").isProblem(404))
            #expect(try await admin.send(.delete, "/api/v1/channels/a?purge=true").isProblem(404))
            #expect(try await admin.send(.delete, "/api/v1/channels/a?purge=yes").pointers == ["purge"])
        }
    }
}
