import Catalogue
import HTTP
import Postgres
import Testing
import Timeline

@testable import AdminAPI

@Suite struct ChannelDeletionTests {
    @Test("A deleted channel is out of lists and unknown; its id made again continues its row")
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

    @Test("A purge forgets all that was recorded, and leaves the bytes to retention")
    func purge() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let channel = try await admin.record("a", minutes: 2)
            #expect(try await admin.send(.delete, "/api/v1/channels/a?purge=true").status == 204)
            try await admin.expectNothingHeld(of: channel)
            let left = try #require(await admin.catalogue.channel(channel.id))
            #expect(left.isDeleted && left.settings.retentionSeconds == 0 && !left.settings.recording)
            let doomed = try await admin.pool.query("SELECT FROM doomed")
            #expect(!doomed.isEmpty)
            let timeline = try await admin.catalogue.timeline(
                of: left, in: TimeWindow(begin: Instant(microseconds: 0), end: TestAdmin.now))
            #expect(timeline.spans.isEmpty && timeline.gaps.isEmpty)
        }
    }

    @Test("What a deleted channel left can be purged later, more than once")
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

    @Test("A channel that never was cannot be deleted, and purge is true or false")
    func refusals() async throws {
        try await withAdmin { admin async throws in
            #expect(try await admin.send(.delete, "/api/v1/channels/a").isProblem(404))
            #expect(try await admin.send(.delete, "/api/v1/channels/a?purge=true").isProblem(404))
            #expect(try await admin.send(.delete, "/api/v1/channels/a?purge=yes").pointers == ["purge"])
        }
    }
}
