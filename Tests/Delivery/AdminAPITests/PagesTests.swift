import Concurrency
import DatabaseSupport
import Foundation
import HTTP
import HTTPSupport
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import AdminAPI

@Suite struct PagesTests {
    @Test("Health says that the process is up, and which version")
    func health() async throws {
        try await withAdmin { admin async throws in
            #expect(try await admin.send(.get, "/healthz").text == #"{"status":"ok","version":"1.2.3"}"#)
        }
    }

    @Test("Ready: both parts answer")
    func ready() async throws {
        try await withAdmin { admin async throws in
            #expect(
                try await admin.send(.get, "/readyz").text
                    == #"{"status":"ready","catalogue":"ok","archive":"ok","ffmpeg":"ok"}"#)
        }
    }

    @Test("Without ffmpeg the server is ready and says that it is missing")
    func noFFmpeg() async throws {
        try await withAdmin(hasFFmpeg: { false }) { admin async throws in
            let answer = try await admin.send(.get, "/readyz")
            #expect(answer.status == 200)
            #expect(try answer.string("ffmpeg") == "missing")
        }
    }

    @Test("Not ready: the answer says which part is missing")
    func archiveAway() async throws {
        try await withAdmin(archiveIsReachable: { false }) { admin async throws in
            let answer = try await admin.send(.get, "/readyz")
            #expect(answer.isProblem(503))
            #expect(try answer.string("archive") == "unreachable" && answer.string("catalogue") == "ok")
            #expect(try answer.string("detail") == "the archive cannot be reached")
        }
    }

    @Test("With the database away readiness and requests are 503, health and the page still answer")
    func catalogueUnavailable() async throws {
        let nowhere = "postgresql://nobody@127.0.0.1:1/none"
        let pool = PostgresPool(
            PoolConfiguration(try ConnectionString(nowhere), size: 1), logger: silentLogger)
        try await withAdmin(on: pool, secrets: []) { admin async throws in
            let answer = try await admin.send(.get, "/readyz")
            #expect(answer.isProblem(503))
            #expect(try answer.string("catalogue") == "unreachable" && answer.string("archive") == "ok")
            let list = try await admin.send(.get, "/api/v1/channels")
            #expect(list.isProblem(503))
            #expect(list.headers["Retry-After"] == "5")
            #expect(try await admin.send(.get, "/healthz").status == 200)
            #expect(try await admin.send(.get, "/").text.contains("cannot be reached"))
        }
        await pool.close()
    }

    @Test("The page has the version and links to the channels, and escapes titles")
    func frontPage() async throws {
        try await withAdmin(secrets: []) { admin async throws in
            #expect(try await admin.send(.get, "/").text.contains("no channel yet"))
        }
        try await withAdmin(secrets: []) { admin async throws in
            _ = try await admin.send(
                .put, "/api/v1/channels/a",
                #"{"title":"<script>alert(\"1\")</script> & 'b'","source_url":"http://u:secret@h/"}"#)
            let page = try await admin.send(.get, "/", hasToken: false)
            #expect(page.headers["Content-Type"] == "text/html; charset=utf-8")
            #expect(page.text.contains("Version 1.2.3"))
            #expect(
                page.text.contains(
                    #"<a href="live/a/index.m3u8">&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;b&#39;</a>"#
                ))
            #expect(!page.text.contains("<script") && !page.text.contains("secret"))
        }
    }

    @Test("However many ask for the page, it is made once in two seconds")
    func frontPageOnce() async throws {
        let time = ManualClock()
        let made = Mutex(0)
        let page = FreshValue<HTTPResponse, Never>(clock: time.clock, age: .seconds(2)) {
            made.withLock { $0 += 1 }
            return HTTPResponse(status: .ok)
        }
        let asking = (0..<20).map { _ in Task { await page.value() } }
        for task in asking { _ = await task.value }
        time.advance(by: .seconds(1))
        _ = await page.value()
        #expect(made.withLock { $0 } == 1)
        time.advance(by: .seconds(1))
        _ = await page.value()
        #expect(made.withLock { $0 } == 2)
        try await withAdmin(secrets: []) { admin async throws in
            let (before, begun) = (admin.pool.statementCount, ContinuousClock.now)
            for _ in 0..<100 { _ = try await admin.send(.get, "/", hasToken: false) }
            // Readiness asks once in a second.
            let seconds = (ContinuousClock.now - begun) / .seconds(1)
            #expect(Double(admin.pool.statementCount - before) <= 2 * seconds + 10)
        }
    }

    @Test("Where channels do not play at this address the page names them without links")
    func frontPageWithoutViewers() async throws {
        try await withAdmin(secrets: [], playsChannels: false) { admin async throws in
            _ = try await admin.send(
                .put, "/api/v1/channels/a", #"{"title":"News","source_url":"http://h/"}"#)
            let page = try await admin.send(.get, "/", hasToken: false)
            #expect(page.text.contains("<li>News</li>"))
            #expect(!page.text.contains("live/"))
        }
    }

    @Test("Where playback needs a token the page names no channels")
    func frontPageWithTokens() async throws {
        try await withAdmin(playsChannels: false) { admin async throws in
            _ = try await admin.send(
                .put, "/api/v1/channels/secret-a", #"{"title":"Secret News","source_url":"http://h/"}"#)
            let page = try await admin.send(.get, "/", hasToken: false)
            #expect(page.status == 200 && page.text.contains("Version 1.2.3"))
            #expect(page.text.contains("Channels play with a token"))
            #expect(!page.text.contains("Secret") && !page.text.contains("secret-a"))
        }
    }
}
