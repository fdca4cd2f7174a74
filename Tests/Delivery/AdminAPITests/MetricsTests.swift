import Concurrency
import Dispatch
import HTTP
import HTTPSupport
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import AdminAPI
@testable import HTTPServer

@Suite struct MetricsTests {
    @Test("A scrape has the text format of Prometheus and the program's version")
    func scrape() async throws {
        try await withAdmin { admin async throws in
            let answer = try await admin.send(.get, "/metrics", hasToken: false)
            #expect(answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(answer.text.contains(#"backcast_build_info{version="1.2.3"} 1"#))
        }
    }

    @Test("Scrapes within a second make one text")
    func together() async throws {
        try await withAdmin { admin async throws in
            let scrapes = Atomic(0)
            admin.registry.onScrape("backcast_test_scrapes", help: "Counts.") {
                [([], Double(scrapes.add(1, ordering: .relaxed).newValue))]
            }
            let begun = ContinuousClock.now
            let first = try await admin.send(.get, "/metrics", hasToken: false)
            let second = try await admin.send(.get, "/metrics", hasToken: false)
            guard ContinuousClock.now - begun < .milliseconds(900) else { return }
            #expect(first.text.contains("backcast_test_scrapes 1"))
            #expect(second.body == first.body)
        }
    }

    @Test("Twenty scrapes at once make one text")
    func atOnce() async throws {
        try await withAdmin { admin async throws in
            let (scrapes, begun) = (Counter(), DispatchSemaphore(value: 0))
            admin.registry.onScrape("backcast_test_scrapes", help: "Counts.") {
                let count = scrapes.add()
                // The first text takes until all ask.
                for _ in 0..<20 where count == 1 { _ = begun.wait(timeout: .now() + 1) }
                return [([], Double(count))]
            }
            let start = ContinuousClock.now
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        begun.signal()
                        return try await admin.send(.get, "/metrics", hasToken: false).text
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            // After a second there is a new text.
            guard ContinuousClock.now - start < .milliseconds(900) else { return }
            #expect(scrapes.value == 1 && texts.count == 1)
        }
    }

    @Test(
        "Every path has one of a bounded number of labels",
        arguments: [
            ("/live/a/index.m3u8", "playlist"), ("/live/a/v0.m3u8", "playlist"),
            ("/t/abc/live/a/master.m3u8", "playlist"), ("/t/abc/live/a/v0/1.ts", "segment"),
            ("/t/abc/other", "other"), ("/t/abc", "other"), ("/api/v1/tokens", "tokens"),
            ("/api/v1/tokens/6b01673c00000007", "token"), ("/api/v1/tokens/x", "token"),
            ("/live/a/v0/1785042312000.ts", "segment"), ("/live/a/keys/00", "key"),
            ("/live/a/download.ts", "download"), ("/live/a/frame.jpg", "picture"),
            ("/live/a/frames.vtt", "picture"),
            ("/live/a/archive-1469509516-20.ts", "download"),
            ("/iptv/channels.m3u", "list"), ("/player_api.php", "list"), ("/live/a", "other"),
            ("/live/me/secret/7.m3u8", "list"), ("/live/a/v0000/1.ts", "list"),
            ("/timeshift.php", "list"), ("/streaming/timeshift.php", "list"),
            ("/me/secret/7", "list"), ("/me/secret/7.ts", "list"), ("/t/x/me/secret/7.m3u8", "list"),
            ("/me/secret/7.mp4", "other"), ("/me/secret/", "other"), ("/me/secret/a7", "other"),
            ("/live/a/b/c/d.m3u8", "other"), ("/api/v1/channels", "channels"),
            ("/api/v1/channels/a", "channel"), ("/api/v1/channels/%2e%2e", "channel"),
            ("/api/v1/channels/a/status", "status"),
            ("/api/v1/channels/a/timeline", "timeline"),
            ("/api/v1/channels/a/reanchor", "reanchor"), ("/api/v1/openapi.json", "openapi"),
            ("/api/x", "other"),
            ("/metrics", "metrics"), ("/healthz", "healthz"), ("/readyz", "readyz"), ("/", "index"),
            ("/wp-login.php", "other"),
            ("", "other"),
        ])
    func routes(path: String, route: String) {
        #expect(RequestRoute(path: path).rawValue == route)
    }

    @Test("Requests are counted by route and code, playlists are timed")
    func requests() throws {
        let registry = MetricsRegistry()
        let metrics = RequestMetrics(registry: registry)
        for (path, status) in [
            ("/live/a/index.m3u8", 200), ("/live/b/index.m3u8", 200), ("/live/a/index.m3u8", 404),
        ] {
            metrics.finished(summary(path, status, .milliseconds(40)))
        }
        metrics.finished(summary("/live/a/v0/1.ts", nil, .seconds(1)))
        let text = String(decoding: registry.prometheusText(), as: UTF8.self)
        #expect(text.contains(#"backcast_http_requests_total{code="200",route="playlist"} 2"#))
        #expect(text.contains(#"backcast_http_requests_total{code="404",route="playlist"} 1"#))
        #expect(text.contains(#"backcast_http_requests_total{code="0",route="segment"} 1"#))
        #expect(text.contains(#"backcast_playlist_request_duration_seconds_bucket{le="0.05"} 3"#))
        #expect(text.contains(#"backcast_playlist_request_duration_seconds_bucket{le="0.025"} 0"#))
    }

    private func summary(_ path: String, _ status: Int?, _ duration: Duration) -> RequestSummary {
        RequestSummary(
            method: .get, path: path, remoteAddress: "", status: status.map { HTTPStatus(rawValue: $0) },
            byteCount: 0, duration: duration, isComplete: status != nil)
    }
}
