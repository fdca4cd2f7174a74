import Postgres
import Testing
import Timeline

@testable import Catalogue

@Suite("Changes")
struct ChangesTests {
    @Test(
        "Announcements are read by their name, and unreadable ones count as anything",
        arguments: [
            (
                "backcast_line", "7 12 3:2",
                .publishedHead(
                    PublishedHeadChange(
                        channel: 7, revision: 12, touched: [Quarter(rendition: 3, containing: 1_800_000_000)])
                )
            ),
            ("backcast_line", "7", .anything), ("backcast_line", "x 1", .anything),
            ("backcast_line", "", .anything),
            ("backcast_channel", "NO SLUG", .anything), ("other", "7", .anything),
        ] as [(String, String, CatalogueChange)])
    func reading(channel: String, payload: String, expected: CatalogueChange) {
        #expect(CatalogueChange(announcement: channel, payload: payload) == expected)
        #expect(CatalogueChange(.reconnected) == .anything)
    }

    @Test(
        "Another process receives anything first, and then each change of a channel and its published head"
    )
    func hearing() async throws {
        try await withCatalogue { test in
            let id = try slug("news")
            try await test.withOther { other in
                var changes = other.changes().makeAsyncIterator()
                #expect(await changes.next() == .anything)
                let recording = try await ChannelRecording(in: test)
                try await test.publish(0..<1, on: recording)
                _ = try await test.catalogue.replace(try settings("news", title: "Changed"))
                try await test.catalogue.setPlaylistForm(.media, of: recording.row)
                try await test.catalogue.setPlaylistForm(.media, of: recording.row)
                try await test.catalogue.expire(recording.channel, before: midnight + second, graceSeconds: 0)
                try await test.catalogue.delete(id)
                let quarter = Quarter(rendition: 1, containing: midnight.microseconds)
                let publishedHead = { (revision: Int64) in
                    CatalogueChange.publishedHead(
                        PublishedHeadChange(channel: recording.row, revision: revision, touched: [quarter]))
                }
                for expected in [
                    .channel(id), publishedHead(1), .channel(id), .channel(id), publishedHead(2),
                    .channel(id),
                ] as [CatalogueChange] {
                    #expect(await changes.next() == expected)
                }
            }
        }
    }

    @Test("A lost connection is reported as anything, and later changes are received")
    func reconnecting() async throws {
        try await withCatalogue { test in
            var changes = test.catalogue.changes().makeAsyncIterator()
            #expect(await changes.next() == .anything)
            _ = try await test.pool.query(
                """
                SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                WHERE query LIKE 'LISTEN%' AND datname = current_database()
                """)
            #expect(await changes.next() == .anything)
            _ = try await test.catalogue.create(try settings("news"))
            #expect(await changes.next() == .channel(try slug("news")))
        }
    }

    @Test("The stream ends with its consumer")
    func ending() async throws {
        try await withCatalogue { test in
            let stream = test.catalogue.changes()
            let task = Task { for await _ in stream {} }
            task.cancel()
            await task.value
        }
    }
}
