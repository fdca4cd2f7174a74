import HTTP
import HTTPSupport
import Postgres
import TestSupport
import Testing
import Timeline

@testable import Catalogue
@testable import ViewerAPI

@Suite(.serialized) struct FollowingTests {
    private let window = "/live/cctv2/index.m3u8?begintime=1469509516&duration=40"

    /// Forty seconds without the segment at 8 s.
    private var holed: Recording {
        var recording = Recording()
        recording.segments.removeAll { $0.start == 8 }
        return recording
    }

    private func following(_ viewer: ViewerFixture, _ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await viewer.api.run() }
            try await body()
            group.cancelAll()
        }
    }

    @Test("With notifications a repair and an expiry show at once")
    func heard() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(holed)
            // Only what is heard shows.
            viewer.clock.slowDown()
            try await following(viewer) {
                let before = try await viewer.get(window)
                #expect(before.uris.count == 9)
                // A first word after which nothing is missed any more.
                try await eventually("the ear") {
                    try await viewer.catalogue.setPlaylistForm(.multivariant, of: 1)
                    return try await viewer.get(
                        "/live/cctv2/index.m3u8?begintime=1469509516&duration=40&rendition=v0"
                    )
                    .status == 200
                }
                try await viewer.repair("cctv2", at: 8)
                try await eventually("the repair") {
                    try await viewer.get(window + "&rendition=v0").uris.count == 10
                }
                try await viewer.expire("cctv2", before: at(20))
                try await eventually("the cut") {
                    try await viewer.get(window + "&rendition=v0").uris.count == 5
                }
            }
        }
    }

    @Test("Without notifications a change shows after two seconds at most, and stays")
    func unheard() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(holed)
            viewer.clock.slowDown()
            let before = try await viewer.get(window)
            #expect(before.uris.count == 9)
            try await viewer.repair("cctv2", at: 8)
            viewer.clock.steadyLead += .seconds(2)
            try await eventually("the repair") {
                try await viewer.get(window).uris.count == 10
            }
            let after = try await viewer.get(window)
            #expect(after.headers["ETag"] != before.headers["ETag"])
            #expect(after.uris.count == 10)
        }
    }

    @Test(
        "What a slow query brings is settled three target durations after its answer, not after its begin")
    func slowQuestion() async throws {
        try await ViewerFixture.with { viewer in
            var recording = Recording(seconds: 44)
            recording.watermark = 40
            recording.targetSeconds = 1
            try await viewer.record(recording)
            viewer.clock.now = at(44)
            let path = "/live/cctv2/index.m3u8?begintime=1469509516&duration=44"
            let before = try await viewer.get(path)
            #expect(before.uris.count == 10)
            // The lock blocks every read of the published head, so a read that starts now sees the committed
            // state.
            let committing = try await viewer.catalogue.pool.transaction { transaction in
                _ = try await transaction.query("LOCK TABLE line")
                let end = ContinuousClock.now + .seconds(6)
                while ContinuousClock.now < end {
                    #expect(try await viewer.get(path).uris.count == 10)
                    try await Task.sleep(for: .milliseconds(100))
                }
                let committing = ContinuousClock.now
                _ = try await transaction.query(
                    "UPDATE line SET watermark_us = \(at(44).microseconds), revision = revision + 1")
                return committing
            }
            try await eventually("the end of it all") {
                let answer = try await viewer.get(path)
                guard answer.headers["Backcast-Final"] == "true" else { return false }
                #expect(answer.uris.count == 11)
                return true
            }
            #expect(ContinuousClock.now - committing >= .seconds(3))
        }
    }

    @Test("With notifications, an unknown channel is answered without a query")
    func unknownChannel() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording())
            // A row that neither an announcement nor its number tells of: only a question for it finds it.
            _ = try await viewer.catalogue.pool.query(
                """
                INSERT INTO channel (channel_id, slug, settings) OVERRIDING SYSTEM VALUE
                SELECT -1000, 'hidden', settings FROM channel
                """)
            let path = "/live/hidden/index.m3u8"
            let asked = try await viewer.get(path)
            let detail = asked.problem["detail"] as? String
            #expect(detail?.hasPrefix("nothing is recorded") == true)
            try await following(viewer) {
                try await eventually("the ids of all channels") {
                    let answer = try await viewer.get(path)
                    return answer.problem["detail"] as? String == "there is no channel hidden"
                }
                let known = try await viewer.get(window)
                #expect(known.status == 200)
            }
        }
    }

    @Test("A window before the first recording reads nothing, and what is near is found once per revision")
    func beforeTheFirst() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording())
            let first = try await viewer.catalogue.head(of: 1).renditions.map(\.firstQuarter)
            #expect(first == [Quarter(rendition: 1, containing: at(0).microseconds).begin])
            let early = "/live/cctv2/index.m3u8?begintime=1469400000&duration=3600"
            let answer = try await viewer.get(early)
            #expect(answer.status == 404)
            _ = try await viewer.catalogue.pool.query("ALTER TABLE block RENAME TO blocks_of_another_name")
            let again = try await viewer.get(early)
            #expect(again.body == answer.body)
        }
    }

    @Test("Many who ask for the same at once get the same answer")
    func together() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording())
            let bodies = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<100 { group.addTask { try await viewer.get(window).body } }
                return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
            }
            #expect(bodies.count == 1 && bodies.first?.isEmpty == false)
        }
    }
}
