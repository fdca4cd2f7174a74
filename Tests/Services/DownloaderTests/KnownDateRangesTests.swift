import HLS
import HTTP
import TestSupport
import Testing
import Timeline

@testable import Downloader

/// Tags of one ID are one range, and later ones add to it (RFC 8216bis §4.4.5.1).
@Suite("Ranges of dates that a live source has listed")
struct KnownDateRangesTests {
    private static let start = "START-DATE=\"2026-11-25T10:00:00.000Z\""

    private func take(_ plan: inout RenditionPlan, _ number: Int, _ ranges: String...) throws {
        let tags = ranges.map { "#EXT-X-DATERANGE:\($0),\(Self.start)\n" }.joined()
        let list = try readMedia(
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:\(number)\n\(tags)#EXTINF:4,\n\(number).ts\n"
        )
        var keys = KeyNames()
        _ = try plan.take(list, base: plan.url, range: nil, keys: &keys)
    }

    @Test("The recording keeps each of them once, also in a later process")
    func kept() throws {
        let url = try HTTPURL("http://origin.example/live.m3u8")
        var plan = RenditionPlan(id: RenditionID(kind: .video, index: 0), url: url)
        try take(&plan, 0, "ID=\"a\",PLANNED-DURATION=10")
        try take(&plan, 1, "ID=\"a\",DURATION=8", "ID=\"b\"")
        try take(&plan, 2, "ID=\"c\"")
        try take(&plan, 3)
        let playlist = plan.localPlaylist(isClear: false, isClosed: false)
        #expect(playlist.dateRanges.map(\.id) == ["a", "b", "c"])
        #expect(playlist.dateRanges[0].durationMicroseconds == 8_000_000)
        #expect(playlist.dateRanges[0].plannedDurationMicroseconds == 10_000_000)
        let names = plan.parts.map(\.names)
        var later = RenditionPlan(
            id: plan.id, url: url, kept: names,
            recorded: .success(RecordedParts(playlist, files: Set(names.map(\.file)))))
        try take(&later, 4, "ID=\"d\"")
        let ids = later.localPlaylist(isClear: false, isClosed: true).dateRanges.map(\.id)
        #expect(ids == ["a", "b", "c", "d"])
    }

    @Test("The oldest are left out where there are too many, or too long ones")
    func bounded() {
        var known = KnownDateRanges()
        known.take((0..<Limits.dateRangeCount + 10).map { DateRange(id: "\($0)", startMicroseconds: 0) })
        #expect(known.all.count == Limits.dateRangeCount && known.all.first?.id == "10")
        var long = DateRange(id: "long", startMicroseconds: 0)
        long.cue = String(repeating: "x", count: Limits.totalDateRangeBytes - 100)
        known.take([long])
        #expect(known.all.last == long && known.all.count < 10)
        // What would make a line too long is not added.
        long.scte35Out = "0xFC"
        known.take([long])
        #expect(known.all.last?.scte35Out == nil)
    }
}
