import Synchronization
import Testing
import Timeline

@testable import TimeZones

@Suite("Zones of the IANA list")
struct NamedZoneTests {
    @Test(
        "Digits without a zone are meant in the one named",
        arguments: [
            ("Europe/Berlin", "20260726070000", "2026-07-26T05:00:00.000Z"),
            ("Europe/Berlin", "20260101010000", "2026-01-01T00:00:00.000Z"),
            // The clocks of Berlin show 02:30 twice on this night, and the first counts; on the other night
            // never.
            ("Europe/Berlin", "20251026023000", "2025-10-26T00:30:00.000Z"),
            ("Europe/Berlin", "20260329023000", "2026-03-29T01:30:00.000Z"),
            ("Asia/Kathmandu", "20260101054500", "2026-01-01T00:00:00.000Z"),
            ("UTC", "20260101000000", "2026-01-01T00:00:00.000Z"),
            // Names without an area.
            ("Japan", "20260101090000", "2026-01-01T00:00:00.000Z"),
            ("NZ", "20260101130000", "2026-01-01T00:00:00.000Z"),
            // With an unknown name the time is read as UTC.
            ("Nowhere/Land", "20260101000000", "2026-01-01T00:00:00.000Z"),
        ])
    func reading(name: String, text: String, instant: String) {
        #expect(InstantReading.reading(text, zone: NamedZone.reading(name))?.rfc3339 == instant)
    }

    @Test(
        "The end of a window that occurs twice is the first one after its begin",
        arguments: [
            // The first 02:15 is before the first 02:30.
            ("20261025023000", "20261025021500", "2026-10-25T01:15:00.000Z"),
            ("20261025023000", "20261025023000", "2026-10-25T01:30:00.000Z"),
            ("20261025013000", "20261025023000", "2026-10-25T00:30:00.000Z"),
            ("20261025023000", "20261025024500", "2026-10-25T00:45:00.000Z"),
            // Neither is after the begin: that is an error elsewhere.
            ("20261025030000", "20261025023000", "2026-10-25T00:30:00.000Z"),
            ("20261025060000", "20261025050000", "2026-10-25T04:00:00.000Z"),
        ])
    func end(begin: String, end: String, instant: String) throws {
        let zone = NamedZone.reading("Europe/Berlin")
        let begin = try #require(InstantReading.reading(begin, zone: zone))
        #expect(InstantReading.reading(end, after: begin, zone: zone)?.rfc3339 == instant)
    }

    @Test("A zone is made once, and no other name is kept")
    func kept() {
        _ = NamedZone.reading("Pacific/Chatham")
        _ = NamedZone.reading("Nowhere/Land")
        #expect(NamedZone.used.withLock { $0["Pacific/Chatham"] != nil && $0["Nowhere/Land"] == nil })
        // What is kept is what is read with.
        NamedZone.used.withLock { $0["Test/Kept"] = NamedZone("Asia/Kathmandu") }
        defer { NamedZone.used.withLock { $0["Test/Kept"] = nil } }
        let read = InstantReading.reading("20260101054500", zone: NamedZone.reading("Test/Kept"))
        #expect(read?.rfc3339 == "2026-01-01T00:00:00.000Z")
    }

    @Test("A date that the calendar does not have is none in any zone")
    func noDate() throws {
        let zone = try #require(NamedZone("Europe/Berlin"))
        #expect(zone.instant(of: CivilTime(year: 2026, month: 2, day: 29)) == nil)
    }

    @Test(
        "Abbreviations, offsets and paths are no names",
        arguments: ["", "CET", "GMT+1", "+01:00", "Europe/Atlantis", "../etc/localtime", "Europe/Berlin\0"])
    func refused(name: String) {
        #expect(NamedZone(name) == nil)
    }

    @Test("Every name that is listed is a zone")
    func names() {
        let names = NamedZone.names
        #expect(names.count > 300 && Set(names).isSuperset(of: ["UTC", "Japan", "Asia/Shanghai"]))
        #expect(names == names.sorted())
        #expect(names.filter { NamedZone($0) == nil }.isEmpty)
    }
}
