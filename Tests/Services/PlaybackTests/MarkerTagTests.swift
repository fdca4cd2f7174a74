import HLS
import TestSupport
import Testing
import Timeline

@testable import Playback

/// Where EXT-X-DATERANGE tags stand, and what they state.
struct MarkerTagTests {
    private static func version(
        _ shown: Double, until: Double, _ attributes: (String, String)...
    ) -> RecordedMarker.Version {
        RecordedMarker.Version(
            shown: at(shown), until: at(until),
            attributes: attributes.map {
                PlaylistAttribute(name: $0.0, value: $0.1, isQuoted: $0.0.hasPrefix("X-"))
            })
    }

    private static func marker(
        _ id: String, _ begin: Double, end: Double? = nil, class classID: String? = nil,
        _ versions: RecordedMarker.Version...
    ) -> RecordedMarker {
        RecordedMarker(
            id: id, begin: at(begin), end: end.map(at), classID: classID, versions: versions)
    }

    /// Four segments from zero, with a marker whose length becomes known when its end is near.
    private static var growing: RecordedFixture {
        var recorded = RecordedFixture(run(8, from: 0))
        recorded.markers = [
            marker(
                "a", 5, end: 12, version(8, until: 13, ("PLANNED-DURATION", "8")),
                version(12, until: 12, ("DURATION", "7")))
        ]
        return recorded
    }

    private static func lines(_ text: String?) -> [String] {
        (text ?? "").split(separator: "\n").map(String.init).filter {
            $0.hasPrefix("#EXT-X-DATERANGE") || !$0.hasPrefix("#")
        }
    }

    private static let date = #"START-DATE="2016-07-26T05:05:21.000Z""#

    @Test(
        "A growing playlist has a marker where it ended when the marker became known, and additions behind it"
    )
    func growing() throws {
        let window = try Self.growing.published(until: 16).event(0, 60)
        #expect(
            Self.lines(window.text()) == [
                "v0/1469509516000.ts", "v0/1469509520000.ts",
                "#EXT-X-DATERANGE:ID=\"a\",\(Self.date),PLANNED-DURATION=8", "v0/1469509524000.ts",
                "#EXT-X-DATERANGE:ID=\"a\",\(Self.date),DURATION=7", "v0/1469509528000.ts",
            ])
        let read = try readBack(window.text())
        #expect(read?.dateRanges.map(\.durationMicroseconds) == [7_000_000])
    }

    @Test("A closed window is not final while an announced break has no end, for ten minutes")
    func openBreak() throws {
        func isFinal(_ begin: Double, _ end: Double, at time: Double, _ marker: RecordedMarker) throws -> Bool
        {
            var recorded = RecordedFixture(run(20, from: 0))
            recorded.markers = [marker]
            recorded.watermark = time
            return try recorded.closed(begin, end).isFinal
        }
        let planned = Self.version(24, until: 80, ("PLANNED-DURATION", "60"))
        let out = Self.version(24, until: 20, ("SCTE35-OUT", "0xFC30"))
        #expect(try !isFinal(0, 40, at: 60, Self.marker("b", 20, planned)))
        // One of unknown length may come to last into a later window.
        #expect(try !isFinal(40, 60, at: 70, Self.marker("b", 20, out)))
        #expect(try isFinal(0, 20, at: 60, Self.marker("b", 20, out)))
        #expect(try isFinal(0, 40, at: 681, Self.marker("b", 20, planned)))
        let done = Self.version(80, until: 80, ("DURATION", "60"))
        #expect(try isFinal(0, 40, at: 90, Self.marker("b", 20, end: 80, planned, done)))
        #expect(try isFinal(0, 40, at: 60, Self.marker("b", 20, Self.version(24, until: 20, ("X-A", "1")))))
    }

    @Test(
        "One that becomes known behind the end does not show yet; one known long before shows ten minutes ahead"
    )
    func ahead() throws {
        let window = try Self.growing.published(until: 8).event(0, 60)
        #expect(Self.lines(window.text()) == ["v0/1469509516000.ts", "v0/1469509520000.ts"])
        var recorded = RecordedFixture(run(8, from: 0))
        recorded.markers = [
            Self.marker("far", 606, Self.version(-100, until: 606, ("X-A", "1"))),
            Self.marker("beyond", 1000, Self.version(-100, until: 1000, ("X-A", "1"))),
        ]
        recorded.watermark = 32
        let sliding = Self.lines(recorded.sliding(length: 32, now: 32).text())
        #expect(sliding.filter { $0.hasPrefix("#") }.count == 1)
        #expect(sliding.firstIndex { $0.contains("\"far\"") } == 2)
        // A window that ends before it has nothing of it.
        #expect(try recorded.event(0, 60).text()?.contains("DATERANGE") == false)
    }

    @Test("A window that begins within a marker has it once, with all that was known when it reached in")
    func within() throws {
        let window = try Self.growing.published(until: 32).event(9, 60)
        #expect(Self.lines(window.text()).count { $0.hasPrefix("#") } == 2)
        // That it ended before was known when the first segment of this window was published.
        let later = try Self.growing.published(until: 32).event(12.5, 60)
        #expect(later.text()?.contains("DATERANGE") == false)
        #expect(try Self.growing.closed(12.5, 20).text()?.contains("DATERANGE") == false)
    }

    @Test("A live playlist has a marker as long as it lies in it")
    func sliding() {
        var recorded = RecordedFixture(run(40, from: 0))
        recorded.markers = Self.growing.markers
        func count(_ time: Double) -> Int {
            Self.lines(recorded.published(until: time).sliding(now: time).text()).count { $0.hasPrefix("#") }
        }
        #expect([8.0, 12, 16, 40, 48].map(count) == [0, 1, 2, 2, 0])
    }

    @Test("Tags are bounded: the first ones of a window, the last ones of a live playlist")
    func bounded() throws {
        var recorded = RecordedFixture(run(8, from: 0), until: 32)
        recorded.markers = (0..<(Limits.markersPerPlaylist + 5)).map {
            Self.marker("m\($0)", 4, Self.version(Double($0) / 1000, until: 30, ("X-A", "1")))
        }
        func ids(_ contents: PlaylistContents) -> [String] {
            contents.markerTags().map {
                let values = String(decoding: $0.line, as: UTF8.self).split(separator: "\"")
                return values.dropFirst().first.map(String.init) ?? ""
            }
        }
        let all = (0..<(Limits.markersPerPlaylist + 5)).map { "m\($0)" }
        #expect(try ids(recorded.closed(0, 32)) == Array(all.prefix(Limits.markersPerPlaylist)))
        #expect(ids(recorded.sliding(length: 32, now: 32)) == Array(all.suffix(Limits.markersPerPlaylist)))
    }
}
