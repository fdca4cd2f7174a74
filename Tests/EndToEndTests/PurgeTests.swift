import Foundation
import HTTP
import HTTPSupport
import TestSupport
import Testing

@Suite("A channel that is purged", .limitedStacks)
struct PurgeTests {
    @Test(
        "forgets at once, keeps its bytes through the grace, and begins again behind its end",
        .timeLimit(.minutes(30)))
    func purged() async throws {
        let arguments = ["--segment-seconds", "1", "--encrypt", "aes-128"]
        try await Stack.run(origin: arguments, settings: ["BACKCAST_DELETE_GRACE": "5"]) { stack in
            try await stack.addChannel()
            let early = try await stack.published(5)
            try await stack.settled(early[3].end)
            let path = stack.window(early[0].middle, early[3].middle)
            let list = try await stack.service.playlist(path)
            let old = list.uris + list.attributes("URI", of: "EXT-X-KEY")
            #expect(list.uris.count == 4 && old.count == 5)
            _ = try await stack.rows(
                """
                INSERT INTO recording (channel_id, begin_us, end_us)
                SELECT channel_id, \(early[0].middle * 1000), \(early[1].end * 1000) FROM channel
                """)

            #expect(try await stack.admin("/channels/ch1?purge=true", method: .delete).status == 204)
            #expect(try await stack.rows("SELECT count(*) FROM segment") == ["0"])
            #expect(try await stack.rows("SELECT count(*) FROM recording") == ["0"])
            #expect(try await stack.service.get(path).status == 410)
            #expect(try await statuses(of: old, in: stack) == [200])

            try await stack.addChannel()
            let count = try stack.ledger().count
            let late = try await stack.published(count + 5)
            try await stack.settled(late[count + 3].end)
            try await eventually("the end of the old bytes") {
                try await statuses(of: list.uris, in: stack) == [404]
            }
            let window = stack.window(late[count + 1].middle, late[count + 3].middle)
            #expect(
                try await stack.digests(of: stack.service.playlist(window)).count == 3)
            #expect(try await stack.playing(window) == "")
            let before =
                "SELECT count(*) FROM segment JOIN rendition USING (rendition_id) JOIN line USING (channel_id)"
            #expect(try await stack.rows(before + " WHERE start_us < forgotten_us") == ["0"])
        }
    }

    private func statuses(of uris: [String], in stack: Stack) async throws -> Set<Int> {
        var statuses: Set<Int> = []
        for uri in uris { statuses.insert(try await stack.service.get("/live/ch1/\(uri)").status) }
        return statuses
    }
}
