import Catalogue
import HLS
import HTTP
import HTTPSupport
import JSON
import Monitoring
import Postgres
import Testing
import Timeline

@testable import AdminAPI

@Suite struct TimelineTests {
    @Test("The timeline has spans, and gaps with their reasons")
    func gap() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let hole = TimeWindow(
                begin: TestAdmin.now - 60 * Microseconds.perSecond,
                end: TestAdmin.now - 48 * Microseconds.perSecond)
            _ = try await admin.record(
                "a", minutes: 2, missing: [10, 11], losses: [Loss(window: hole, reason: .segmentMissing)])
            let answer = try await admin.send(
                .get, "/api/v1/channels/a/timeline?from=1785040000&to=1785043000000")
            #expect(
                answer.text == """
                    {"channel":"a","from":"2026-07-26T04:26:40.000Z","to":"2026-07-26T05:16:40.000Z","spans":[\
                    {"begin":"2026-07-26T05:03:16.000Z","end":"2026-07-26T05:04:16.000Z","segments":10,"bytes":7500000},\
                    {"begin":"2026-07-26T05:04:28.000Z","end":"2026-07-26T05:05:16.000Z","segments":8,"bytes":6000000}],\
                    "gaps":[{"begin":"2026-07-26T05:04:16.000Z","end":"2026-07-26T05:04:28.000Z",\
                    "reason":"segment_missing","rendition":null}],"markers":[]}
                    """)
        }
    }

    @Test("The timeline has the source's markers, of EXT-X-DATERANGE and of cue tags")
    func markers() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let begin = TestAdmin.now - 120 * Microseconds.perSecond
            let marker = Marker(
                id: "splice-7", sourceStart: begin, begin: begin + 10_500_000, classID: "com.example.ad",
                length: 20_000_000,
                attributes: [
                    PlaylistAttribute(name: "END-DATE", value: "2026-07-26T05:03:46Z", isQuoted: true),
                    PlaylistAttribute(name: "SCTE35-OUT", value: "0xFC30", isQuoted: false),
                    PlaylistAttribute(name: "X-NOTE", value: "a \"b\"", isQuoted: true),
                ])
            let lost = try #require(
                DateRange(
                    cueTag: "#EXT-X-ASSET:CAID=0x1", startMicroseconds: (begin + 70_000_000).microseconds,
                    idBytes: 256))
            _ = try await admin.record(
                "a", minutes: 2,
                cueTags: [
                    1: ["#EXT-OATCLS-SCTE35:/DAl+w==", "#EXT-X-CUE-OUT:DURATION=60,BREAKID=0x1"],
                    2: ["#EXT-X-CUE-OUT-CONT:6/60"], 5: ["#EXT-X-CUE-IN"], 19: ["#EXT-X-CUE-OUT:30.5"],
                ],
                markers: [
                    marker, Marker(id: "x", sourceStart: begin, begin: begin + 1),
                    Marker(
                        id: lost.id, sourceStart: begin + 70_000_000, begin: begin + 70_000_000,
                        classID: lost.classIdentifier, attributes: lost.otherAttributes.attributes),
                ])
            let answer = try await admin.send(
                .get, "/api/v1/channels/a/timeline?from=1785042196&to=1785043000000")
            let expected = """
                [{"id":"x","class":null,"begin":"2026-07-26T05:03:16.000Z","end":null,"attributes":{}},\
                {"id":"cue-1785042202000-0","class":"EXT-OATCLS-SCTE35","begin":"2026-07-26T05:03:22.000Z",\
                "end":null,"attributes":{"value":"/DAl+w=="}},\
                {"id":"cue-1785042202000-1","class":"EXT-X-CUE-OUT","begin":"2026-07-26T05:03:22.000Z",\
                "end":"2026-07-26T05:03:46.000Z","attributes":{"DURATION":"60","BREAKID":"0x1"}},\
                {"id":"splice-7","class":"com.example.ad","begin":"2026-07-26T05:03:26.500Z",\
                "end":"2026-07-26T05:03:46.500Z","attributes":{"SCTE35-OUT":"0xFC30","X-NOTE":"a \\"b\\""}},\
                {"id":"cue-1785042226000-0","class":"EXT-X-CUE-IN","begin":"2026-07-26T05:03:46.000Z",\
                "end":null,"attributes":{}},\
                {"id":"cue-1785042266000-0","class":"EXT-X-ASSET","begin":"2026-07-26T05:04:26.000Z",\
                "end":null,"attributes":{"CAID":"0x1"}},\
                {"id":"cue-1785042310000-0","class":"EXT-X-CUE-OUT","begin":"2026-07-26T05:05:10.000Z",\
                "end":"2026-07-26T05:05:40.500Z","attributes":{"value":"30.5"}}]
                """
            #expect(answer.text.hasSuffix("\"markers\":\(expected)}"))
        }
    }

    @Test("Cue tags of segments that never came are markers like those of others, once")
    func cueTagsOfLostSegments() throws {
        let begin = TestAdmin.now
        func marker(_ line: String, at second: Int64) throws -> RecordedMarker {
            let at = begin + second * Microseconds.perSecond
            let range = try #require(
                DateRange(cueTag: line, startMicroseconds: at.microseconds, idBytes: 256))
            let version = RecordedMarker.Version(
                shown: begin, until: at, attributes: range.otherAttributes.attributes)
            return RecordedMarker(
                id: range.id, begin: at, end: nil, classID: range.classIdentifier, versions: [version])
        }
        let held = [
            RecordedCueTags(begin: begin, tags: ["#EXT-X-ASSET:CAID=0x1"]),
            RecordedCueTags(begin: begin + 30 * Microseconds.perSecond, tags: ["#EXT-X-CUE-IN"]),
        ]
        let tags = TimelineMarker.cueTags(
            held,
            with: [
                try marker("#EXT-X-CUE-OUT:DURATION=40,BREAKID=\"b\"", at: 6),
                // A rendition has it, too.
                try marker("#EXT-X-CUE-IN", at: 30),
                RecordedMarker(
                    id: "other", begin: begin, end: nil, classID: nil,
                    versions: [RecordedMarker.Version(shown: begin, until: begin, attributes: [])]),
            ])
        let markers = TimelineMarker.markers(of: tags)
        #expect(markers.map(\.classID) == ["EXT-X-ASSET", "EXT-X-CUE-OUT", "EXT-X-CUE-IN"])
        #expect(markers.map(\.end) == [nil, begin + 30 * Microseconds.perSecond, nil])
        #expect(markers[1].attributes.map(\.name) == ["DURATION", "BREAKID"])
    }

    @Test(
        "A break whose beginning is not in the window shows with its first repeated tag, and has no end yet")
    func withinBreak() {
        let markers = TimelineMarker.markers(of: [
            RecordedCueTags(begin: TestAdmin.now, tags: ["#EXT-X-CUE-OUT-CONT:10/60"]),
            RecordedCueTags(begin: TestAdmin.now + 6_000_000, tags: ["#EXT-X-CUE-OUT-CONT:16/60"]),
        ])
        #expect(markers.map(\.classID) == ["EXT-X-CUE-OUT-CONT"])
        #expect(markers.map(\.end) == [nil])
    }

    @Test("A gap that still grows reaches up to now, and says why nothing comes")
    func growing() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let second = Microseconds.perSecond
            _ = try await admin.record("a", minutes: 2, until: TestAdmin.now - 19 * second)
            func gaps(_ query: String = "") async throws -> String {
                let text = try await admin.send(.get, "/api/v1/channels/a/timeline\(query)").text
                return text.split(separator: "\"gaps\":").last.map(String.init) ?? ""
            }
            func expected(until end: String, _ reason: String) -> String {
                """
                [{"begin":"2026-07-26T05:04:57.000Z","end":"\(end)","reason":"\(reason)","rendition":null}],"markers":[]}
                """
            }
            let now = "2026-07-26T05:05:16.000Z"
            #expect(try await gaps() == expected(until: now, "recorder_down"))
            var status = ChannelStatus(state: .stalled, since: TestAdmin.now)
            admin.board.set(status, of: try #require(ChannelID("a")))
            #expect(try await gaps() == expected(until: now, "source_stalled"))
            status.gapReason = .sourceUnreachable
            admin.board.set(status, of: try #require(ChannelID("a")))
            #expect(try await gaps() == expected(until: now, "source_unreachable"))
            let early = "2026-07-26T05:05:00.000Z"
            #expect(try await gaps("?to=\(early)") == expected(until: early, "source_unreachable"))
            try await admin.create("b")
            _ = try await admin.record("b", minutes: 1, until: TestAdmin.now - 18 * second)
            let waiting = try await admin.send(.get, "/api/v1/channels/b/timeline").text
            #expect(waiting.hasSuffix(#""gaps":[],"markers":[]}"#))
        }
    }

    @Test("A channel that never got anything lacks all since its recording began")
    func neverRecorded() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let channel = try await admin.channel("a")
            try await admin.catalogue.beginRecording(
                channel: channel.row, at: TestAdmin.now - 3600 * Microseconds.perSecond)
            let answer = try await admin.send(.get, "/api/v1/channels/a/timeline")
            #expect(
                answer.text.hasSuffix(
                    """
                    "spans":[],"gaps":[{"begin":"2026-07-26T04:05:16.000Z","end":"2026-07-26T05:05:16.000Z",\
                    "reason":"recorder_down","rendition":null}],"markers":[]}
                    """))
        }
    }

    @Test(
        "The time of a pause is no gap, without any recorder, too",
        arguments: [HTTPMethod.patch, .put, .delete])
    func paused(method: HTTPMethod) async throws {
        try await withAdmin { admin async throws in
            let second = Microseconds.perSecond
            try await admin.create("a")
            let channel = try await admin.record("a", minutes: 1)
            _ = try await admin.pool.query("UPDATE line SET node_id = NULL")
            func source(_ more: String) -> String { #"{"id":"a","source_url":"http://o/i.m3u8"\#(more)}"# }
            let body = method == .delete ? nil : source(#","recording":false"#)
            let answer = try await admin.send(method, "/api/v1/channels/a", body)
            #expect(answer.status == (method == .delete ? 204 : 200))
            let resumed = try await admin.send(.put, "/api/v1/channels/a", source(""))
            #expect(resumed.status == (method == .delete ? 201 : 200))
            // A recorder begins an hour later, and gets nothing for a minute.
            let begin = TestAdmin.now + 3600 * second
            try await admin.catalogue.beginRecording(channel: channel.row, at: begin)
            let report = try await admin.catalogue.timeline(
                of: channel, in: TimeWindow(begin: TestAdmin.now - 60 * second, end: begin + 3600 * second),
                now: begin + 60 * second)
            #expect(report.gaps.map(\.window) == [TimeWindow(begin: begin, end: begin + 60 * second)])
        }
    }

    @Test(
        "What is missing is a gap again after a pause that the recorder did not notice",
        arguments: [false, true])
    func unnoticedPause(isDeleted: Bool) async throws {
        try await withAdmin { admin async throws in
            let second = Microseconds.perSecond
            try await admin.create("a")
            let channel = try await admin.record("a", minutes: 1)
            let path = "/api/v1/channels/a"
            if isDeleted {
                #expect(try await admin.send(.delete, path).status == 204)
                try await admin.create("a")
            } else {
                for isOn in [false, true] {
                    #expect(try await admin.send(.patch, path, "{\"recording\":\(isOn)}").status == 200)
                }
            }
            let later = TestAdmin.now + 60 * second
            let report = try await admin.catalogue.timeline(
                of: channel, in: TimeWindow(begin: TestAdmin.now, end: later), now: later)
            #expect(report.gaps.map(\.window) == [TimeWindow(begin: TestAdmin.now, end: later)])
        }
    }

    @Test("Without parameters the timeline covers the last day")
    func defaults() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let answer = try await admin.send(.get, "/api/v1/channels/a/timeline")
            #expect(
                answer.text == """
                    {"channel":"a","from":"2026-07-25T05:05:16.000Z","to":"2026-07-26T05:05:16.000Z","spans":[],"gaps":[],"markers":[]}
                    """)
        }
    }

    @Test(
        "Every form of a time gives the same instant",
        arguments: [
            "1785042000", "1785042000.0", "1785042000000", "1785042000000000", "20260726050000",
            "2026-07-26T05:00:00Z", "2026-07-26T07:00:00%2B02:00", "2026-07-26T07:00:00+02:00",
        ])
    func forms(text: String) async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let answer = try await admin.send(.get, "/api/v1/channels/a/timeline?from=\(text)")
            #expect(try answer.string("from") == "2026-07-26T05:00:00.000Z")
        }
    }

    @Test("Digits without a zone are in the channel's time zone")
    func zone() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            _ = try await admin.send(.patch, "/api/v1/channels/a", #"{"time_zone":"Europe/Berlin"}"#)
            let answer = try await admin.send(.get, "/api/v1/channels/a/timeline?from=20260726070000")
            #expect(try answer.string("from") == "2026-07-26T05:00:00.000Z")
        }
    }

    @Test(
        "An invalid window is refused by the name of the parameter",
        arguments: [
            ("from=abc", "from"), ("to=", "to"), ("from=20261399000000", "from"),
            ("from=1785042000&to=1785042000", "from"),
            ("from=1785042001&to=1785042000", "from"), ("from=1700000000", "to"), ("begin=1", "begin"),
        ])
    func refused(query: String, name: String) async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let answer = try await admin.send(.get, "/api/v1/channels/a/timeline?\(query)")
            #expect(answer.isProblem(400))
            #expect(try answer.pointers == [name])
        }
    }
}
