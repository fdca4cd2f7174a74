import HLS
import TestSupport
import Testing
import Timeline

@testable import Recorder

@Suite("Markers that a source lists")
struct KnownMarkersTests {
    /// The source's clock is eight hours ahead.
    private static let zone: Int64 = 8 * 3600 * seconds

    private static var dates: SourceDates {
        var dates = SourceDates()
        dates.add(at(100) + zone, beginsAt: at(100))
        return dates
    }

    private static func range(
        _ id: String, at start: Double?, _ change: (inout DateRange) -> Void = { _ in },
    ) -> DateRange {
        var range = DateRange(id: id, startMicroseconds: start.map { (at($0) + zone).microseconds })
        change(&range)
        return range
    }

    private static func take(
        _ ranges: [DateRange], _ known: inout KnownMarkers, first: Double = 90, at time: Double = 120,
    ) -> [Marker] {
        known.take(ranges, dates: dates, first: at(first) + zone, at: at(time))
    }

    @Test("A range is placed as the segments are, with everything that it says")
    func placed() {
        var known = KnownMarkers()
        let range = Self.range("ad", at: 110) {
            $0.classIdentifier = "com.example.ad"
            $0.endMicroseconds = (at(140) + Self.zone).microseconds
            $0.scte35Out = "0xFC30"
            $0.otherAttributes.append("X-ASSET", quoted: "a, b")
        }
        let markers = Self.take([range], &known)
        #expect(markers.map(\.begin) == [at(110)] && markers.map(\.length) == [30 * seconds])
        #expect(markers.map(\.sourceStart) == [at(110) + Self.zone])
        #expect(markers.map(\.classID) == ["com.example.ad"])
        #expect(markers[0].attributes.map(\.name) == ["END-DATE", "SCTE35-OUT", "X-ASSET"])
        #expect(markers[0].attributes.map(\.isQuoted) == [true, false, true])
        #expect(Self.take([range], &known).isEmpty)
    }

    @Test("What is added later is told with what was known, and nothing else is told again")
    func added() {
        var known = KnownMarkers()
        var range = Self.range("ad", at: 110) { $0.plannedDurationMicroseconds = 30 * seconds }
        #expect(Self.take([range], &known).map(\.plannedLength) == [30 * seconds])
        range.durationMicroseconds = 28 * seconds
        range.plannedDurationMicroseconds = 99 * seconds
        let markers = Self.take([range], &known)
        #expect(markers.map(\.length) == [28 * seconds] && markers.map(\.plannedLength) == [30 * seconds])
        #expect(markers[0].attributes.map(\.name) == ["PLANNED-DURATION", "DURATION"])
        // An end may come in a tag that says nothing else.
        var last = Self.range("ad", at: nil)
        last.scte35In = "0xFC31"
        #expect(Self.take([last], &known).map(\.attributes.count) == [3])
    }

    @Test("The same id with another date is another marker")
    func sameID() {
        var known = KnownMarkers()
        let ranges = [110.0, 150].map { start in
            Self.range("1", at: start) { $0.durationMicroseconds = 10 * seconds }
        }
        #expect(Self.take(ranges, &known).map(\.begin) == [at(110), at(150)])
        #expect(Self.take(ranges, &known).isEmpty)
    }

    @Test("Renditions may state dates of their own segments: less than a second apart it is the same marker")
    func otherRendition() {
        var known = KnownMarkers()
        let video = Self.range("1", at: 110) { $0.plannedDurationMicroseconds = 10 * seconds }
        let audio = Self.range("1", at: 110.02) {
            $0.plannedDurationMicroseconds = 10 * seconds
            $0.endMicroseconds = (at(120.02) + Self.zone).microseconds
        }
        #expect(Self.take([video], &known).map(\.begin) == [at(110)])
        let added = Self.take([audio], &known)
        #expect(added.map(\.begin) == [at(110)] && added.map(\.length) == [10 * seconds])
        #expect(Self.take([video], &known).isEmpty && Self.take([audio], &known).isEmpty)
    }

    @Test("What ended before the playlist begins is left out")
    func before() {
        var known = KnownMarkers()
        let ranges = [
            Self.range("a", at: 50) { $0.durationMicroseconds = 39 * seconds },
            Self.range("b", at: 50) { $0.durationMicroseconds = 40 * seconds },
            Self.range("c", at: 50), Self.range("d", at: 50) { $0.endsOnNext = true },
            Self.range("e", at: 500),
        ]
        #expect(Self.take(ranges, &known).map(\.id) == ["b", "d", "e"])
    }

    @Test("An excessive playlist costs a bounded number of markers")
    func bounded() {
        var known = KnownMarkers()
        let ranges = (0..<(2 * Limits.listedMarkers)).map { Self.range("\($0)", at: 100) }
        #expect(Self.take(ranges, &known).count == Limits.markersPerHour)
        #expect(Self.take(ranges, &known).isEmpty)
        #expect(Self.take(ranges, &known, at: 3720).count == Limits.markersPerHour)
        let long = Self.range("long", at: 100) {
            $0.otherAttributes.append("X-A", quoted: String(repeating: "a", count: Limits.markerBytes))
        }
        #expect(Self.take([long], &known, at: 7400).isEmpty)
    }

    @Test("A day of markers in the first playlist leaves room for all that become known within the hour")
    func longPlaylist() {
        var known = KnownMarkers()
        let (minutes, now) = (24 * 60, 24 * 3600.0)
        let day = (0..<minutes).map { Self.range("\($0)", at: Double($0) * 60) }
        #expect(Self.take(day, &known, first: 0, at: now).count == minutes)
        let new = (0..<10).map { Self.range("new \($0)", at: now + Double($0)) }
        #expect(Self.take(day + new, &known, first: 0, at: now + 60).map(\.id) == new.map(\.id))
    }

    @Test("Tags that add to a marker without end make it no larger than a bound, also after a restart")
    func boundedSum() {
        var known = KnownMarkers()
        var told: [Marker] = []
        for number in 0..<20 {
            let range = Self.range("ad", at: 110) {
                let value = String(repeating: "a", count: Limits.markerBytes - 200)
                $0.otherAttributes.append("X-\(number)", quoted: value)
            }
            told += Self.take([range], &known)
            guard number == 10, let last = told.last else { continue }
            known = KnownMarkers()
            known.resume(last)
        }
        // The end still finds its place.
        told += Self.take([Self.range("ad", at: 110) { $0.scte35In = "0xFC31" }], &known)
        let sizes = told.map { marker in
            marker.attributes.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        }
        #expect(told.count == 5 && sizes.allSatisfy { $0 <= 4 * Limits.markerBytes })
        #expect(told.last?.attributes.map(\.name) == ["X-0", "X-1", "X-2", "X-3", "SCTE35-IN"])
    }

    @Test("What the journal has is not told again")
    func resumed() {
        var known = KnownMarkers()
        let range = Self.range("ad", at: 110) { $0.durationMicroseconds = 10 * seconds }
        let markers = Self.take([range], &known)
        var next = KnownMarkers()
        for marker in markers { next.resume(marker) }
        #expect(Self.take([range], &next).isEmpty)
    }

    @Test("Dates follow the segments: each change counts from its date on, also in another source run")
    func dates() {
        var dates = SourceDates()
        #expect(dates.begin(of: at(50), arrival: at(60)) == at(50))
        #expect(dates.begin(of: at(50_000), arrival: at(60)) == at(60))
        dates.add(at(100), beginsAt: at(1000))
        dates.add(at(106), beginsAt: at(1006.01))
        dates.add(at(112), beginsAt: at(1015))
        #expect(dates.begin(of: at(40), arrival: at(0)) == at(940))
        #expect(dates.begin(of: at(110), arrival: at(0)) == at(1010))
        #expect(dates.begin(of: at(120), arrival: at(0)) == at(1023))
        dates.startRun()
        #expect(dates.begin(of: at(120), arrival: at(0)) == at(1023))
        dates.add(at(7), beginsAt: at(1030))
        #expect(dates.begin(of: at(120), arrival: at(0)) == at(1143))
    }
}
