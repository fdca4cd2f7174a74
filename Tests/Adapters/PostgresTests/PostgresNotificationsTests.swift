import TestSupport
import Testing

@testable import Postgres

@Suite("Notifications")
struct PostgresNotificationsTests {
    @Test("Notifications after the start are received in order, for the listed channels")
    func hearing() async throws {
        try await withPool { pool in
            var events = pool.notifications(channels: ["one", "Two\""]).makeAsyncIterator()
            #expect(await events.next() == .reconnected)
            for (channel, payload) in [("one", "a"), ("other", "b"), ("Two\"", "c"), ("one", "")] {
                _ = try await pool.query("SELECT pg_notify(\(channel), \(payload))")
            }
            for (channel, payload) in [("one", "a"), ("Two\"", "c"), ("one", "")] {
                let expected = PostgresNotification(channel: channel, payload: payload)
                #expect(await events.next() == .notification(expected))
            }
        }
    }

    @Test("A waiting listener receives a notification; cancelling ends the wait")
    func waiting() async throws {
        try await withPool { pool in
            let (heard, listener) = (
                AsyncStream<PostgresListenerEvent>.makeStream(), pool.notifications(channels: ["c"])
            )
            let task = Task {
                for await event in listener { heard.continuation.yield(event) }
                heard.continuation.finish()
            }
            var events = heard.stream.makeAsyncIterator()
            #expect(await events.next() == .reconnected)
            _ = try await pool.query("NOTIFY c, 'now'")
            #expect(await events.next() == .notification(PostgresNotification(channel: "c", payload: "now")))
            task.cancel()
            #expect(await events.next() == nil)
        }
    }

    @Test("A listener reports a broken connection and reconnects")
    func reconnecting() async throws {
        try await withPool { pool in
            var events = pool.notifications(channels: ["c"]).makeAsyncIterator()
            #expect(await events.next() == .reconnected)
            _ = try await pool.query(
                """
                SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                WHERE query = 'LISTEN "c"' AND datname = current_database()
                """)
            #expect(await events.next() == .reconnected)
            _ = try await pool.query("NOTIFY c, 'again'")
            #expect(
                await events.next() == .notification(PostgresNotification(channel: "c", payload: "again")))
        }
    }
}
