import HTTP
import HTTPSupport
import SegmentStore
import TestSupport
import Testing
import Timeline

@testable import Catalogue
@testable import Postgres
@testable import ViewerAPI

/// Several serving nodes on one database.
@Suite(.serialized) struct ReplicaTests {
    @Test(
        "A growing playlist never runs back when two nodes answer in turn, one of which gets no notifications",
        arguments: ["/live/cctv2/index.m3u8", "/live/cctv2/v0.m3u8?begintime=1469509516&mode=event"])
    func growing(path: String) async throws {
        try await ViewerFixture.with { recorder in
            try await recorder.record(Recording())
            try await recorder.withReplica { first in
                try await recorder.withReplica { second in
                    let hearing = Task { await first.api.run() }
                    defer { hearing.cancel() }
                    var (newest, lateRounds) = (0, 0)
                    for round in 0..<120 {
                        // Committed between an answer of the one and of the other.
                        if round % 3 == 0 {
                            try await recorder.recordMore(Recording(seconds: 40 + 4 * (round / 3 + 1)))
                        }
                        let node = round % 2 == 0 ? first : second
                        let begun = ContinuousClock.now
                        let end = try #require(Self.end(of: try await node.get(path)), "round \(round)")
                        // A node that cannot ask the database in time answers from memory.
                        let isLate = ContinuousClock.now - begun >= .milliseconds(400)
                        #expect(end >= newest || isLate, "round \(round)")
                        newest = max(newest, end)
                        if isLate { lateRounds += 1 }
                    }
                    #expect(lateRounds < 60)
                    #expect(newest == 10 + 40)
                }
            }
        }
    }

    @Test("The window that one node has named is whole on another that knew less, and so are its playlists")
    func named() async throws {
        try await ViewerFixture.with { recorder in
            func recording(seconds: Int) -> Recording {
                var recording = Recording(seconds: seconds)
                recording.playlistForm = .multivariant
                recording.add("v1", from: 0, count: seconds / 4)
                return recording
            }
            try await recorder.record(recording(seconds: 40))
            try await recorder.withReplica { first in
                try await recorder.withReplica { second in
                    let query = "begintime=1469509516&duration=3600"
                    for _ in 0..<2 {
                        // From now on it knows 40 seconds for two.
                        #expect(try await second.get("/live/cctv2/v0.m3u8?\(query)").uris.count == 10)
                    }
                    let more = recording(seconds: 60)
                    let id = try #require(ChannelID("cctv2"))
                    for segment in more.segments where segment.start >= 40 {
                        try await recorder.store.put(segment.stored, as: segment.key(of: id))
                    }
                    try await recorder.recordMore(more)
                    let open = "/live/cctv2/download.ts?begintime=1469509516&rendition=v0"
                    let moved = try await first.get(open)
                    let location = try #require(moved.headers["Location"])
                    #expect(location.contains("endtime=1469509576000"))
                    let whole = more.segments.filter { $0.rendition == RenditionID("v0") }.flatMap(\.plain)
                    #expect(try await second.get("/live/cctv2/\(location)").body == whole)
                }
            }
            try await recorder.withReplica { first in
                try await recorder.withReplica { second in
                    let query = "begintime=1469509516&duration=3600"
                    for _ in 0..<2 {
                        #expect(try await second.get("/live/cctv2/v0.m3u8?\(query)").uris.count == 15)
                    }
                    try await recorder.recordMore(recording(seconds: 80))
                    let list = try await first.get("/live/cctv2/master.m3u8?\(query)")
                    #expect(list.uris.count == 2)
                    for uri in list.uris {
                        #expect(try await second.get("/live/cctv2/\(uri)").uris.count == 20, "\(uri)")
                    }
                }
            }
        }
    }

    @Test("Players of a window that ends in the future share the questions of a node among several")
    func future() async throws {
        try await ViewerFixture.with { recorder in
            try await recorder.record(Recording())
            try await recorder.withReplica { node async throws in
                let path = "/live/cctv2/v0.m3u8?begintime=1469509516&duration=3600"
                #expect(try await node.get(path).status == 200)
                let before = node.catalogue.pool.statementCount
                let begun = ContinuousClock.now
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<200 {
                        group.addTask { _ = await node.begun("\(path)&_=\(number)") }
                    }
                }
                // A round in 25 ms at most, and a read of channel and head in two seconds.
                let rounds = (ContinuousClock.now - begun) / .milliseconds(25)
                #expect(Double(node.catalogue.pool.statementCount - before) <= rounds + 10)
            }
        }
    }

    @Test("Where the target duration rises, nodes that saw it and such that did not say the same")
    func risenTarget() async throws {
        let queries = [
            "?begintime=1469509516&duration=40&mode=event", "?delay=1000", "?delay=200", "?dvr=60", "",
            "?begintime=1469509516&duration=4000&mode=event",
        ]
        try await ViewerFixture.with { recorder in
            var recording = Recording(seconds: 0)
            recording.targetSeconds = 0
            try await recorder.record(recording)
            recording = Recording(seconds: 80)
            recording.targetSeconds = 6
            recording.starts = [
                DiscontinuityStart(sequence: 0, begin: at(0), cause: .start, targetSeconds: 6)
            ]
            try await recorder.withReplica { first in
                first.clock.now = at(1080)
                // Nothing has begun yet.
                #expect(try await first.get("/live/cctv2/v0.m3u8").status == 404)
                try await recorder.recordMore(recording)
                first.clock.steadyLead += .seconds(10)
                let ended = try await first.get("/live/cctv2/v0.m3u8\(queries[0])").text
                #expect(ended.contains("#EXT-X-TARGETDURATION:6\n") && ended.contains("#EXT-X-ENDLIST\n"))
                let live = try await first.get("/live/cctv2/v0.m3u8").text
                #expect(live.contains("#EXT-X-TARGETDURATION:6\n"))
                recording.segments = []
                recording.add("v0", from: 80, count: 250, sequence: 1)
                for index in recording.segments.indices { recording.segments[index].number += 20 }
                (recording.watermark, recording.targetSeconds) = (1080, 20)
                recording.starts = [
                    DiscontinuityStart(
                        sequence: 1, begin: at(80), cause: .targetDuration, targetSeconds: 20)
                ]
                try await recorder.recordMore(recording)
                first.clock.steadyLead += .seconds(10)
                try await recorder.withReplica { second in
                    second.clock.now = at(1080)
                    for query in queries {
                        let path = "/live/cctv2/v0.m3u8\(query)"
                        let (one, other) = (try await first.get(path), try await second.get(path))
                        #expect(one.text == other.text, "\(query)")
                        let target = query == queries[0] || query == "?delay=1000" ? 6 : 20
                        #expect(one.text.contains("#EXT-X-TARGETDURATION:\(target)\n"), "\(query)")
                        if target == 20 { #expect(one.uris.count >= 15, "\(query)") }
                    }
                    #expect(try await second.get("/live/cctv2/v0.m3u8\(queries[0])").text == ended)
                }
            }
        }
    }

    @Test("A live playlist that a node among several has to confirm does not wait behind long compositions")
    func lightweight() async throws {
        try await ViewerFixture.with { recorder async throws in
            try await recorder.record(Recording())
            try await recorder.withReplica { node async throws in
                for (target, isShort) in [
                    ("index.m3u8", true), ("v0.m3u8", true), ("index.m3u8?dvr=3600", true),
                    ("index.m3u8?dvr=3601", false), ("index.m3u8?begintime=1469509516&mode=event", false),
                    ("download.ts?begintime=1469509516&duration=8", false),
                ] {
                    for _ in 0..<3 { #expect(try await node.get("/live/cctv2/\(target)").status == 200) }
                    let answer = node.api.answer(HTTPRequest(.get, "/live/cctv2/\(target)"))
                    if case .lightweight = answer {
                        #expect(isShort, "\(target)")
                    } else {
                        #expect(!isShort, "\(target)")
                    }
                }
            }
        }
    }

    @Test("While the database does not answer, a node among several answers from memory")
    func away() async throws {
        try await ViewerFixture.with { recorder in
            try await recorder.record(Recording())
            try await recorder.withReplica { node in
                let path = "/live/cctv2/index.m3u8"
                #expect(try await node.get(path).status == 200)
                try await recorder.catalogue.pool.transaction { transaction in
                    _ = try await transaction.query("LOCK TABLE line")
                    for _ in 0..<3 { #expect(try await node.get(path).status == 200) }
                }
            }
        }
    }

    @Test("Of a thousand known channels only the ten that are watched are followed, with few statements")
    func watched() async throws {
        try await ViewerFixture.with { node in
            let watched = (0..<10).map { "watched\($0)" }
            for id in watched { try await node.record(Recording(id)) }
            let pool = node.catalogue.pool
            _ = try await pool.query(
                """
                WITH made AS (
                    INSERT INTO channel (slug, settings, shape)
                    SELECT 'idle' || n, settings || jsonb_build_object('id', 'idle' || n), shape
                    FROM channel, generate_series(0, 989) AS n WHERE slug = 'watched0' RETURNING channel_id)
                INSERT INTO line (channel_id) SELECT channel_id FROM made
                """)
            for number in 0..<990 { _ = try await node.get("/live/idle\(number)/index.m3u8") }
            node.clock.steadyLead = .seconds(61)
            let following = Task { await node.api.run() }
            defer { following.cancel() }
            try await node.withReplica(isShared: false) { recorder in
                for id in watched { #expect(try await node.get("/live/\(id)/index.m3u8").status == 200) }
                try await Task.sleep(for: .seconds(2))
                let before = pool.statementCount
                let began = ContinuousClock.now
                for tick in 0..<40 {
                    // Each channel has a new segment every four seconds and is asked for every two.
                    let id = watched[tick % 10]
                    try await recorder.recordMore(Recording(id, seconds: 40 + 4 * (tick / 10 + 1)))
                    for offset in [0, 5] {
                        let path = "/live/\(watched[(tick + offset) % 10])/index.m3u8"
                        #expect(try await node.get(path).status == 200)
                    }
                    if tick % 10 == 0 {
                        _ = try await recorder.catalogue.pool.query(
                            """
                            WITH changed AS (
                                UPDATE line SET revision = revision + 1 FROM channel
                                WHERE channel.channel_id = line.channel_id AND slug LIKE 'idle%'
                                RETURNING line.channel_id, revision)
                            SELECT pg_notify(
                                \(Catalogue.Announcement.publishedHead), channel_id || ' ' || revision || ' *')
                            FROM changed
                            """)
                    }
                    try await Task.sleep(until: began + .milliseconds(400) * (tick + 1))
                }
                let seconds = (ContinuousClock.now - began) / .seconds(1)
                let rate = Double(pool.statementCount - before) / seconds
                #expect(rate <= 15, "\(rate) statements a second")
                // They are followed nevertheless.
                try await eventually("the newest segment") {
                    let answer = try await node.get("/live/watched9/index.m3u8")
                    return Self.end(of: answer) == 10 + 4
                }
            }
        }
    }

    /// The number behind the last listed segment; nil if the answer is no playlist.
    private static func end(of answer: ReceivedResponse) -> Int? {
        guard answer.status == 200 else { return nil }
        let first = answer.text.firstMatch(of: /#EXT-X-MEDIA-SEQUENCE:(\d+)/).flatMap { Int($0.1) }
        return (first ?? 0) + answer.uris.count
    }
}
