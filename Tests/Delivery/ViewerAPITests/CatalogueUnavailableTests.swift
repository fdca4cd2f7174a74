import HTTP
import HTTPSupport
import Postgres
import TestSupport
import Testing
import Timeline

@testable import Catalogue
@testable import ViewerAPI

@Suite(.serialized) struct CatalogueUnavailableTests {
    private static let base = "/live/cctv2/index.m3u8"
    /// A closed window, start-over, live, and live with a delay.
    private static let known = [
        "?begintime=1469509516&duration=20", "?begintime=1469509516&duration=4000&mode=event", "", "?dvr=60",
        "?delay=40",
    ]

    @Test("Windows in memory play on without a database; others are 503")
    func away() async throws {
        let server = try await PostgresCluster()
        try await ViewerFixture.with(server: server) { viewer in
            var recording = Recording(seconds: 80)
            recording.watermark = 8_000
            recording.add("v0", from: 7_920, count: 20, sequence: 1)
            recording.add("v0", from: -8_000, count: 5)
            try await viewer.record(recording)
            try await viewer.record(Recording("other"))
            var before: [String: ReceivedResponse] = [:]
            for query in Self.known { before[query] = try await viewer.get(Self.base + query) }
            try await server.stop()
            for query in Self.known {
                let (after, earlier) = (try await viewer.get(Self.base + query), before[query])
                #expect(after.status == 200, "\(query)")
                #expect(after.body == earlier?.body, "\(query)")
                #expect(after.headers["ETag"] == earlier?.headers["ETag"], "\(query)")
                let coded = try await viewer.get(Self.base + query, ["Accept-Encoding": "gzip"])
                #expect(coded.status == 200)
            }
            for path in [Self.base + "?begintime=1469501516&duration=20", "/live/other/index.m3u8"] {
                let answer = try await viewer.get(path)
                #expect(answer.status == 503, "\(path)")
                #expect(answer.problem["status"] as? Int == 503, "\(path)")
                #expect(answer.headers["Retry-After"] == "5", "\(path)")
            }
            try await server.start()
            try await eventually("the catalogue's return") {
                try await viewer.get(Self.base + "?begintime=1469501516&duration=20").status == 200
            }
        }
    }

    @Test(
        "Apps log in and play without a database, with the zone and the numbers that were known last")
    func account() async throws {
        let server = try await PostgresCluster()
        let host: HTTPHeaders = ["Host": "tv.example"]
        try await ViewerFixture.with(server: server) { viewer in
            viewer.clock.now = at(40)
            var recording = Recording()
            recording.timeZone = "Europe/Berlin"
            try await viewer.record(recording)
            let before = try await viewer.get("/player_api.php", host)
            #expect(before.text.contains(#""timezone":"Europe/Berlin""#))
            let channel = try await viewer.catalogue.channel(try #require(ChannelID("cctv2")))
            let row = try #require(channel).row
            let paths = [
                "/live/u/p/\(row).m3u8", "/live/u/p/\(row).ts", "/live/u/p/cctv2.m3u8",
                "/timeshift/u/p/1/2016-07-26:07-05/\(row).m3u8",
            ]
            var locations: [String?] = []
            for path in paths { locations.append(try await viewer.get(path).headers["Location"]) }
            #expect(!locations.contains(nil))
            try await server.stop()
            viewer.clock.steadyLead += .seconds(3)
            for (path, location) in zip(paths, locations) {
                let moved = try await viewer.get(path)
                #expect(moved.status == 302 && moved.headers["Location"] == location, "\(path)")
            }
            #expect(try await viewer.get("/live/u/p/\(row + 1).m3u8").status == 503)
            let after = try await viewer.get("/player_api.php", host)
            #expect(after.status == 200 && after.body == before.body)
            #expect(try await viewer.get("/player_api.php?action=get_live_streams", host).status == 503)
            try await viewer.withoutCatalogue { away in
                let account = try await away.get("/player_api.php", host)
                #expect(account.status == 200 && account.text.contains(#""timezone":"UTC""#))
                #expect(try await away.get(paths[0]).status == 503)
            }
        }
    }

    @Test(
        "Windows in memory are answered in time while a database hangs, and are current when it continues")
    func hanging() async throws {
        let server = try await PostgresCluster()
        try await ViewerFixture.with(server: server) { viewer in
            var recording = Recording(seconds: 80)
            recording.segments.removeAll { $0.start == 8 }
            try await viewer.record(recording)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await viewer.api.run() }
                var before: [String: [UInt8]] = [:]
                for query in Self.known { before[query] = try await viewer.get(Self.base + query).body }
                let named = "/live/u/p/cctv2.m3u8"
                #expect(try await viewer.get(named).status == 302)
                try await server.whileStandingStill {
                    viewer.clock.steadyLead += .seconds(3)
                    for path in [named, "/player_api.php"] {
                        let asked = ContinuousClock.now
                        let answer = try await viewer.get(path, ["Host": "tv.example"])
                        #expect(answer.status == (path == named ? 302 : 200), "\(path)")
                        #expect(ContinuousClock.now - asked < .seconds(20), "\(path)")
                    }
                    // Long enough for everything in memory to be requested more than once.
                    let end = ContinuousClock.now + .seconds(6)
                    while ContinuousClock.now < end {
                        for query in Self.known {
                            let asked = ContinuousClock.now
                            let answer = try await viewer.get(Self.base + query)
                            // One second for the channel, one for its head, and what a slow machine takes;
                            // the database would be waited for half a minute.
                            #expect(ContinuousClock.now - asked < .seconds(20), "\(query)")
                            #expect(answer.status == 200 && answer.body == before[query], "\(query)")
                        }
                        try await Task.sleep(for: .milliseconds(100))
                    }
                }
                try await eventually("the database's return") { await viewer.catalogue.isReachable() }
                try await viewer.repair("cctv2", at: 8)
                try await eventually("the repair") {
                    try await viewer.get(Self.base + Self.known[0]).uris.count == 5
                }
                group.cancelAll()
            }
        }
    }

    @Test("Requests for channels that are not in memory end before a statement that hangs")
    func unknown() async throws {
        try await ViewerFixture.with { recorder in
            try await recorder.record(Recording())
            try await recorder.withReplica(isShared: false) { node in
                let before = try await node.get(Self.base)
                try await recorder.catalogue.pool.transaction { transaction in
                    _ = try await transaction.query("LOCK TABLE channel")
                    await withTaskGroup(of: HTTPStatus.self) { group in
                        for number in 0..<100 {
                            group.addTask { await node.begun("/live/unknown\(number)/index.m3u8").status }
                        }
                        for await status in group { #expect(status == .serviceUnavailable) }
                    }
                    let answer = try await node.get(Self.base)
                    #expect(answer.status == 200 && answer.body == before.body)
                    let rows = try await transaction.query(
                        """
                        SELECT count(*) AS n FROM pg_locks WHERE NOT granted AND relation = 'channel'::regclass
                        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                        """)
                    let hanging = try #require(rows.first)
                    #expect(try hanging.decode("n", as: Int.self) > 0)
                }
            }
        }
    }
}
