import Postgres
import Testing
import Timeline

@testable import Catalogue

@Suite("Markers")
struct MarkersTests {
    /// A marker at seconds after midnight; the source's clock is an hour behind.
    private static func marker(
        _ id: String, at begin: Int64, source: Int64? = nil, class classID: String? = nil,
        length: Int64? = nil, planned: Int64? = nil, endsOnNext: Bool = false, _ names: String...
    ) -> Marker {
        Marker(
            id: id, sourceStart: midnight + (source ?? begin) * second - hour,
            begin: midnight + begin * second, classID: classID, length: length.map { $0 * second },
            plannedLength: planned.map { $0 * second }, endsOnNext: endsOnNext,
            attributes: names.map { PlaylistAttribute(name: $0, value: "1", isQuoted: false) })
    }

    /// Commits markers together with segments up to a number, which begin at midnight.
    private func commit(
        _ markers: [Marker], segments: Range<Int64>, _ recording: ChannelRecording, _ test: TestCatalogue,
    ) async throws {
        var batch = recording.batch(recording.published(segments))
        batch.markers = markers
        _ = try await test.catalogue.commit(batch)
    }

    private func markers(
        _ recording: ChannelRecording, _ test: TestCatalogue, _ begin: Int64 = 0, _ end: Int64 = 86_400,
    ) async throws -> [RecordedMarker] {
        try await test.catalogue.markers(of: recording.row, in: window(begin * second, end * second))
    }

    private func revision(_ recording: ChannelRecording, _ test: TestCatalogue) async throws -> Int64 {
        try await test.catalogue.head(of: recording.row).markerRevision
    }

    @Test("A marker is stored once, and what its source adds is known from then on")
    func adding() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            #expect(try await revision(recording, test) == 0)
            let announced = Self.marker("ad", at: 10, class: "c", planned: 30, "PLANNED-DURATION", "X-A")
            try await commit([announced, announced], segments: 0..<3, recording, test)
            let first = try await revision(recording, test)
            #expect(first > 0)
            let ended = Self.marker("ad", at: 10, class: "c", length: 20, "X-A", "DURATION")
            try await commit([ended], segments: 3..<6, recording, test)
            #expect(try await revision(recording, test) > first)
            let found = try await markers(recording, test)
            #expect(found.map(\.id) == ["ad"] && found.map(\.classID) == ["c"])
            #expect(found[0].begin == midnight + 10 * second && found[0].end == midnight + 30 * second)
            #expect(found[0].versions.map { ($0.shown - midnight) / second } == [12, 24])
            #expect(found[0].versions.map { ($0.until - midnight) / second } == [40, 30])
            #expect(
                found[0].versions.map { $0.attributes.map(\.name) } == [
                    ["PLANNED-DURATION", "X-A"], ["DURATION"],
                ])
            let known = try await revision(recording, test)
            try await commit([announced, ended], segments: 6..<7, recording, test)
            #expect(try await markers(recording, test) == found)
            #expect(try await revision(recording, test) == known)
        }
    }

    @Test("Markers beyond one statement are read on, each once and in order, up to the limit")
    func pages() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            // Pages also end among markers of one begin.
            let all = (0..<4500).map { Self.marker("m\($0)", at: Int64($0 / 9), source: Int64($0)) }
            try await commit(all, segments: 0..<3, recording, test)
            for limit in [1, 2000, 2001, 4500, 9000] {
                let found = try await test.catalogue.markers(
                    of: recording.row, in: window(0, 86_400 * second), limit: limit)
                #expect(found.count == min(limit, all.count))
                #expect(Set(found.map(\.id)).count == found.count)
                let begins = found.map { ($0.begin - midnight) / second }
                #expect(begins == (0..<found.count).map { Int64($0 / 9) })
            }
        }
    }

    @Test("An attribute never changes, and neither does the begin")
    func conflict() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await commit(
                [Self.marker("ad", at: 10, length: 20, "DURATION")], segments: 0..<3, recording, test)
            try await commit(
                [Self.marker("ad", at: 11, source: 10, length: 90, "DURATION")], segments: 3..<6, recording,
                test)
            let found = try await markers(recording, test)
            #expect(found.map { $0.begin - midnight } == [10 * second])
            #expect(found.map(\.end) == [midnight + 30 * second] && found[0].versions.count == 1)
        }
    }

    @Test("A date that differs by less than a second names the same marker")
    func tolerance() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var marker = Self.marker("ad", at: 10, "X-A")
            try await commit([marker], segments: 0..<3, recording, test)
            marker.sourceStart = marker.sourceStart + 20_000
            marker.attributes = [PlaylistAttribute(name: "X-B", value: "1", isQuoted: true)]
            try await commit([marker], segments: 3..<6, recording, test)
            #expect(try await markers(recording, test).map { $0.attributes.map(\.name) } == [["X-A", "X-B"]])
        }
    }

    @Test("Markers of one id with other dates get a number behind it, which stays")
    func sameID() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            for (index, begin) in [100, 40, 70].enumerated() {
                let numbers = Int64(index)..<Int64(index + 1)
                try await commit(
                    [Self.marker("1", at: Int64(begin), length: 5, "DURATION")], segments: numbers, recording,
                    test)
            }
            #expect(try await markers(recording, test).map(\.id) == ["1 (1)", "1 (2)", "1"])
        }
    }

    @Test("One that ends on the next of its class does so, and lasts a day at most without it")
    func endsOnNext() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let show = Self.marker("a", at: 0, class: "show", endsOnNext: true, "END-ON-NEXT")
            let other = Self.marker("x", at: 8, class: "other", "X-A")
            try await commit([show, other], segments: 0..<1, recording, test)
            #expect(try await markers(recording, test)[0].end == nil)
            #expect(try await markers(recording, test, 86_399).map(\.id) == ["a"])
            #expect(try await markers(recording, test, 86_400, 90_000).isEmpty)
            let next = Self.marker("b", at: 20, class: "show", endsOnNext: true, "END-ON-NEXT")
            try await commit([next], segments: 1..<2, recording, test)
            let between = Self.marker("c", at: 10, class: "show", endsOnNext: true, "END-ON-NEXT")
            try await commit([between], segments: 2..<5, recording, test)
            let ends = try await markers(recording, test).map {
                "\($0.id) \(($0.end ?? midnight) - midnight)"
            }
            #expect(ends == ["a 10000000", "x 0", "c 20000000", "b 0"])
            // It was in growing playlists up to here when it became known that it had ended.
            let lasting = try await markers(recording, test)[0].versions.map {
                ($0.until - midnight) / second
            }
            #expect(lasting == [86_400, 20, 20])
        }
    }

    @Test("A window has the markers that lie in it; one of unknown length lies where it begins")
    func windows() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await commit(
                [
                    Self.marker("long", at: 0, length: 100, "DURATION"),
                    Self.marker("unknown", at: 50, "X-A"),
                    Self.marker("planned", at: 60, planned: 30, "PLANNED-DURATION"),
                    Self.marker("none", at: 95, length: 0, "DURATION"),
                ], segments: 0..<1, recording, test)
            func ids(_ begin: Int64, _ end: Int64) async throws -> [String] {
                try await markers(recording, test, begin, end).map(\.id)
            }
            #expect(try await ids(0, 50) == ["long"])
            #expect(try await ids(50, 51) == ["long", "unknown"])
            #expect(try await ids(51, 61) == ["long", "planned"])
            #expect(try await ids(90, 96) == ["long", "none"])
            #expect(try await ids(100, 200).isEmpty)
        }
    }

    @Test("A report with more markers than it lists ends earlier; playlists read fewer at a time")
    func many() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.fill(recording, segments: 2600)
            try await commit([Self.marker("m", at: 0, "X-A")], segments: 0..<1, recording, test)
            _ = try await test.pool.query(
                """
                INSERT INTO marker SELECT channel_id, marker_id || n, source_us + n * 1000000, ordinal,
                    begin_us + n * 1000000, end_us, until_us + n * 1000000, class, length_us, planned_us,
                    ends_on_next, versions
                FROM marker, generate_series(1::bigint, 10002) AS n
                """)
            _ = try await test.pool.query(
                "UPDATE line SET watermark_us = \((midnight + 2600 * 4 * second).microseconds)")
            let first = try await test.catalogue.timeline(of: recording.channel, in: window(0, 3 * hour))
            let end = midnight + 10_000 * second
            #expect(first.end == end && first.markers.count == 10_000)
            let rest = try await test.catalogue.timeline(
                of: recording.channel, in: TimeWindow(begin: end, end: midnight + 3 * hour))
            #expect(rest.end == nil)
            #expect(rest.markers.map { $0.begin - end } == [0, second, 2 * second])
            #expect(try await markers(recording, test).count == 2000)
        }
    }

    @Test("Markers expire when they have ended, and a purge leaves none")
    func expiring() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await commit(
                [
                    Self.marker("old", at: 10, length: 10, "DURATION"), Self.marker("at", at: 20, "X-A"),
                    Self.marker("across", at: 10, length: 60, "DURATION"),
                ], segments: 0..<20, recording, test)
            try await test.catalogue.expire(
                recording.channel, before: midnight + 20 * second, graceSeconds: 0)
            #expect(try await markers(recording, test).map(\.id) == ["across", "at"])
            try await commit(
                [Self.marker("late", at: 5, length: 5, "DURATION")], segments: 20..<21, recording, test)
            #expect(try await markers(recording, test).map(\.id) == ["across", "at"])
            try await test.catalogue.purge(recording.channel.id, graceSeconds: 0)
            #expect(try await test.number("SELECT count(*) FROM marker") == 0)
        }
    }

    @Test("A former owner's markers are stored, those that the database refuses are found")
    func formerOwner() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var batch = Batch(unpublishedIn: recording.row)
            batch.markers = [Self.marker("ad", at: 10, length: 10, "DURATION")]
            #expect(try await test.catalogue.commit(batch) == false)
            #expect(try await markers(recording, test).map(\.id) == ["ad"])
            batch.markers.append(Self.marker("a\u{0}b", at: 10, length: 10, "DURATION"))
            do throws(CatalogueError) {
                _ = try await test.catalogue.commit(batch)
                Issue.record("a zero byte was taken")
            } catch {
                #expect(error.refusedFacts?.markers.map(\.id) == ["a\u{0}b"])
            }
        }
    }

    @Test("When a channel is reanchored, the markers ahead of now go")
    func reanchoring() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let now = (try await test.catalogue.databaseTime() - midnight) / second
            var batch = recording.batch([
                DecidedSegment(
                    fact: recording.fact(0, at: (now + 3600) * second), number: 0, discontinuitySequence: 0)
            ])
            batch.markers = [
                Self.marker("past", at: now - 60, length: 10, "DURATION"),
                Self.marker("ahead", at: now + 3600, length: 10, "DURATION"),
            ]
            _ = try await test.catalogue.commit(batch)
            let before = try await revision(recording, test)
            #expect(try await test.catalogue.reanchor(recording.channel) != nil)
            #expect(try await markers(recording, test, now - 100, now + 7200).map(\.id) == ["past"])
            #expect(try await revision(recording, test) > before)
            // What a journal still has of the former timeline does not come back.
            var late = Batch(unpublishedIn: recording.row)
            late.markers = batch.markers
            _ = try await test.catalogue.commit(late)
            #expect(try await markers(recording, test, now - 100, now + 7200).map(\.id) == ["past"])
        }
    }
}
