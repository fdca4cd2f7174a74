import Catalogue
import HTTP
import TestSupport
import Testing
import Timeline

@testable import ViewerAPI

@Suite(.serialized) struct AwayTests {
    private static let base = "/live/cctv2/index.m3u8"
    /// A closed window, start-over, live, and live with a delay.
    private static let known = [
        "?begintime=1469509516&duration=20", "?begintime=1469509516&duration=4000&mode=event", "", "?dvr=60",
        "?delay=40",
    ]

    @Test("What was asked for before plays on without a database; what is not in memory is 503")
    func away() async throws {
        let server = try await PostgresCluster()
        try await Archive.with(server: server) { archive in
            var recording = Recording(seconds: 80)
            recording.watermark = 8_000
            recording.add("v0", from: 7_920, count: 20, epoch: 1)
            recording.add("v0", from: -8_000, count: 5)
            try await archive.record(recording)
            try await archive.record(Recording("other"))
            var before: [String: Answer] = [:]
            for query in Self.known { before[query] = try await archive.ask(Self.base + query) }
            try await server.stop()
            for query in Self.known {
                let (after, earlier) = (try await archive.ask(Self.base + query), before[query])
                #expect(after.status == 200, "\(query)")
                #expect(after.body == earlier?.body, "\(query)")
                #expect(after.headers["ETag"] == earlier?.headers["ETag"], "\(query)")
                let coded = try await archive.ask(Self.base + query, ["Accept-Encoding": "gzip"])
                #expect(coded.status == 200)
            }
            for path in [Self.base + "?begintime=1469501516&duration=20", "/live/other/index.m3u8"] {
                let answer = try await archive.ask(path)
                #expect(answer.status == 503, "\(path)")
                #expect(answer.problem["status"] as? Int == 503, "\(path)")
                #expect(answer.headers["Retry-After"] == "5", "\(path)")
            }
            try await server.start()
            try await eventually("the catalogue's return") {
                try await archive.ask(Self.base + "?begintime=1469501516&duration=20").status == 200
            }
        }
    }
}
