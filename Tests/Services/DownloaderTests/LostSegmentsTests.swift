import HLS
import HTTP
import TestSupport
import Testing
import Timeline

@testable import Downloader

/// Media sequence numbers are those of RFC 8216 §4.3.3.2.
@Suite("Segments that a live playlist has dropped unread")
struct LostSegmentsTests {
    private func plan(_ texts: String...) throws -> RenditionPlan { try plan(of: texts) }

    private func plan(of texts: [String]) throws -> RenditionPlan {
        let url = try HTTPURL("http://origin.example/live.m3u8")
        var (plan, keys) = (RenditionPlan(id: RenditionID(kind: .video, index: 0), url: url), KeyNames())
        for text in texts {
            guard case .media(let playlist) = try Playlist.reading(Array(text.utf8)).playlist else {
                continue
            }
            _ = try plan.take(playlist, base: url, range: nil, keys: &keys)
        }
        return plan
    }

    private func text(_ numbers: Range<UInt64>, at second: Int? = nil) -> String {
        let date = second.map { "#EXT-X-PROGRAM-DATE-TIME:2026-11-25T10:00:\($0).000Z\n" } ?? ""
        return "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n" + date
            + numbers.map { "#EXTINF:4,\n\($0).ts\n" }.joined()
    }

    @Test("They are gaps, as long as the others, or as dates say")
    func gaps() throws {
        #expect(try plan(text(1..<4), text(6..<8)).gapSeconds() == 8)
        // Until 10:00:22 there are 12 s.
        #expect(try plan(text(1..<4, at: 10), text(6..<8, at: 32)).gapSeconds() == 10)
        // Such a date is that of another clock.
        #expect(try plan(text(1..<4, at: 10), text(6..<8, at: 59)).gapSeconds() == 8)
        #expect(try plan(text(1..<4), text(3..<8)).gapSeconds() == 0)
        // The dates go on: only the numbers have jumped.
        let jump = try plan(text(1..<4, at: 10), text(6..<8, at: 22))
        #expect(jump.gapSeconds() == 0)
        #expect(jump.parts.map(\.segment.discontinuityCount) == [0, 0, 0, 1, 0])
        // A short one, as before a break, and numbers that jump further than the dates.
        #expect(try plan(text(1..<4, at: 10), text(5..<7, at: 24)).gapSeconds() == 2)
        let further = try plan(text(1..<4, at: 10), text(900..<902, at: 30))
        #expect(further.gapSeconds() == 8)
        #expect(further.parts.count { $0.isLost } == 2)
    }

    @Test("They are settled, and what follows them starts with a discontinuity")
    func places() throws {
        let plan = try plan(text(1..<4), text(6..<8), text(7..<9), text(10..<11))
        #expect(plan.parts.map(\.names.identity.number) == Array(1...10))
        #expect(
            plan.parts.map(\.segment.isGap) == [
                false, false, false, true, true, false, false, false, true, false,
            ])
        #expect(plan.parts.map(\.segment.discontinuityCount) == [0, 0, 0, 0, 0, 1, 0, 0, 0, 1])
        #expect(plan.parts.map(\.position) == (0..<10).map { Double($0) * 4 })
        #expect(plan.settledCount == 3 && Set(plan.parts.map(\.names.file)).count == 10)
    }

    @Test(
        "Another numbering has no gaps: numbers that are lower, or far higher",
        arguments: [1, 1_700_000_000] as [UInt64])
    func otherNumbers(first: UInt64) throws {
        let plan = try plan(text(100..<103), text(first..<first + 2))
        #expect(plan.parts.count == 5 && plan.gapSeconds() == 0)
        #expect(plan.parts.map(\.segment.discontinuityCount) == [0, 0, 0, 1, 0])
    }

    @Test("Numbers that stay far behind are those of an encoder that has started again with the same names")
    func startedAgain() throws {
        let few = Array(repeating: text(0..<3), count: Limits.laggingReadings + 1)
        func numbers(_ texts: [String]) throws -> [UInt64] {
            let plan = try plan(of: [text(0..<50)] + texts)
            #expect(plan.gapSeconds() == 0)
            return plan.parts.map(\.names.identity.number)
        }
        let first = Array(0..<50) as [UInt64]
        #expect(try numbers(few + [text(1..<5)]) == first + [0, 1, 2, 3, 4])
        #expect(try numbers([text(0..<3), text(49..<51)]) == first + [50])
        #expect(try numbers(few.dropLast() + [text(49..<51)] + few.dropLast()) == first + [50])
        // A server that lags behind, and the former numbers that go on after all.
        #expect(try numbers(few + [text(45..<50), text(1..<5)]) == first + [0, 1, 2, 3, 4])
        #expect(try numbers(few + [text(48..<52)]) == first + [0, 1, 2, 50, 51])
    }

    @Test("An encoder starts again with numbers before the first recorded one, and comes to recorded ones")
    func startedBefore() throws {
        let lists = [text(100..<150)] + (0...110).map { text($0..<($0 + 6)) }
        let plan = try plan(of: lists)
        #expect(plan.parts.map(\.names.identity.number) == Array(100..<150) + Array(0..<116))
        #expect(plan.gapSeconds() == 0)
    }

    @Test("An older list, as another server has it, adds nothing in front of what is known")
    func olderList() throws {
        let plan = try plan(text(10..<16), text(8..<14), text(11..<17))
        #expect(plan.parts.map(\.names.identity.number) == Array(10...16))
        #expect(plan.gapSeconds() == 0)
        #expect(plan.parts.allSatisfy { $0.segment.discontinuityCount == 0 })
    }

    /// Segments 8 to 15 were recorded; then the source lists 6 to 12, as an older node does, and 11 to 17.
    private func continuedAfterOlderList(lacking missing: Int) throws -> RenditionPlan {
        let url = try HTTPURL("http://origin.example/live.m3u8")
        let first = try plan(text(8..<16))
        let names = first.parts.map(\.names)
        let recorded = RecordedParts(
            first.localPlaylist(isClear: false, isClosed: false),
            files: Set(names.map(\.file).dropLast(missing)))
        var (second, keys) = (
            RenditionPlan(id: first.id, url: url, kept: names, recorded: .success(recorded)), KeyNames()
        )
        for numbers in [6..<13, 11..<18] as [Range<UInt64>] {
            _ = try second.take(try readMedia(text(numbers)), base: url, range: nil, keys: &keys)
        }
        #expect(second.parts.map(\.names.identity.number) == Array(6...17))
        #expect(second.parts[2...9].map(\.names.file) == names.map(\.file))
        #expect(second.gapSeconds() == 0)
        return second
    }

    @Test("What was recorded stays after the segments of an older list")
    func olderListLater() throws {
        let plan = try continuedAfterOlderList(lacking: 0)
        #expect(plan.parts.allSatisfy { $0.segment.discontinuityCount == 0 })
    }

    @Test("A segment that was being fetched when the process was killed is fetched after an older list, too")
    func olderListBeforeLost() throws {
        let plan = try continuedAfterOlderList(lacking: 1)
        #expect(plan.parts[9].names.identity.number == 15 && !plan.parts[9].isSettled)
    }

    @Test("A presentation of two containers goes on; one of a third container is another")
    func containers() throws {
        let url = try HTTPURL("http://origin.example/film.m3u8")
        let id = RenditionID(kind: .video, index: 0)
        func take(_ names: [String], _ kept: [PartNames]) throws -> (plan: RenditionPlan, lines: [PartNames])
        {
            let text =
                "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:4\n"
                + names.map { "#EXTINF:4,\n\($0)\n" }.joined() + "#EXT-X-ENDLIST\n"
            var (plan, keys) = (RenditionPlan(id: id, url: url, kept: kept), KeyNames())
            let lines = try plan.take(try readMedia(text), base: url, range: nil, keys: &keys)
            return (plan, lines)
        }
        // The first of the folder's names comes out of a dictionary: with many of them it is hardly this one.
        let both = ["0.ts"] + (1..<40).map { "\($0).m4s" }
        let lines = try take(both, []).lines
        #expect(try !take(both, lines).plan.hasOtherContainer)
        #expect(try !take(["1.m4s"] + both.dropFirst(), lines).plan.hasOtherContainer)
        #expect(try take(["0.aac"] + both.dropFirst(), lines).plan.hasOtherContainer)
    }

    @Test(
        "What was recorded has the container of what comes, whether its files are there or not",
        arguments: ["ts", "m4s", "aac", "vtt"], [true, false])
    func recorded(ending: String, isThere: Bool) throws {
        let url = try HTTPURL("http://origin.example/live.m3u8")
        let id = RenditionID(kind: .video, index: 0)
        func list(_ numbers: Range<UInt64>) throws -> MediaPlaylist {
            let map = ending == "m4s" ? "#EXT-X-MAP:URI=\"init.mp4\"\n" : ""
            return try readMedia(
                "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:4\n"
                    + "#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n" + map
                    + numbers.map { "#EXTINF:4,\n\($0).\(ending)\n" }.joined())
        }
        var (first, keys) = (RenditionPlan(id: id, url: url), KeyNames())
        let lines = try first.take(try list(1..<4), base: url, range: nil, keys: &keys)
        let files: Set<String> = isThere ? Set(lines.map(\.file) + ["init-1.mp4"]) : []
        let recorded = RecordedParts(first.localPlaylist(isClear: false, isClosed: false), files: files)
        var second = RenditionPlan(id: id, url: url, kept: lines, recorded: .success(recorded))
        _ = try second.take(try list(5..<7), base: url, range: nil, keys: &keys)
        #expect(!second.hasOtherContainer && second.isPackedAudio == (ending == "aac"))
        #expect(second.parts.map(\.names.file) == (1...6).map { "0000\($0).\(ending)" })
        #expect(
            second.parts.map(\.segment.isGap) == [!isThere, !isThere, !isThere, true, false, false])
    }

    @Test("The playlist of a long recording can be read again, also with a key for each segment")
    func long() throws {
        let count: UInt64 = 50_001
        func keyed(_ numbers: Range<UInt64>) -> String {
            "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n"
                + numbers.map { "#EXT-X-KEY:METHOD=AES-128,URI=\"\($0).key\"\n#EXTINF:2,\n\($0).ts\n" }
                .joined()
        }
        let plan = try plan(keyed(0..<30_000), keyed(29_990..<count))
        let bytes = plan.localPlaylist(isClear: false, isClosed: false).writtenBytes()
        let playlist = try Playlist.reading(bytes, limits: Limits.ownPlaylist).playlist.media
        #expect(playlist.segments.count == Int(count))
        #expect(Set(playlist.segments.compactMap { $0.keys.first?.uri }).count == Int(count))
    }

    @Test("Where the folder's playlist cannot be read, nothing that the source lists no more is given up")
    func unreadable() throws {
        let url = try HTTPURL("http://origin.example/live.m3u8")
        let first = try plan(text(1..<4))
        let damage = DownloadError.folder("/downloads/task/index.m3u8 cannot be read")
        func take(_ numbers: Range<UInt64>) throws -> [UInt64] {
            var (plan, keys) = (
                RenditionPlan(
                    id: first.id, url: url, kept: first.parts.map(\.names), recorded: .failure(damage)),
                KeyNames()
            )
            _ = try plan.take(try readMedia(text(numbers)), base: url, range: nil, keys: &keys)
            return plan.parts.map(\.names.identity.number)
        }
        #expect(throws: damage) { try take(2..<5) }
        #expect(try take(1..<5) == Array(1...4))
    }
}
