import HLS
import HTTP
import TestSupport
import Testing
import Timeline

@testable import Downloader

/// A segment is the same one if number, duration and date are; without dates, if its file is.
@Suite("Segments that a live playlist lists under other paths")
struct MovedSegmentsTests {
    private let url: HTTPURL

    init() throws {
        url = try HTTPURL("http://origin.example/live.m3u8")
    }

    /// A playlist of these numbers; `name` has `#` in the place of the number, `second` dates the first one.
    private func text(
        _ numbers: Range<UInt64>, _ name: String, at second: Int? = nil, seconds: Int = 4,
        isEnded: Bool = false
    ) -> String {
        let date = second.map { "#EXT-X-PROGRAM-DATE-TIME:2026-11-25T10:00:\($0).000Z\n" } ?? ""
        return "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n" + date
            + numbers.map { "#EXTINF:\(seconds),\n\(name.replacing("#", with: "\($0)"))\n" }.joined()
            + (isEnded ? "#EXT-X-ENDLIST\n" : "")
    }

    private func plan(_ texts: String...) throws -> RenditionPlan {
        var (plan, keys) = (RenditionPlan(id: RenditionID(kind: .video, index: 0), url: url), KeyNames())
        for text in texts {
            _ = try plan.take(try readMedia(text), base: url, range: nil, keys: &keys)
        }
        return plan
    }

    private func expectWhole(_ plan: RenditionPlan, _ numbers: ClosedRange<UInt64>) {
        #expect(plan.parts.map(\.names.identity.number) == Array(numbers))
        #expect(plan.gapSeconds() == 0)
        #expect(plan.parts.allSatisfy { $0.segment.discontinuityCount == 0 })
        #expect(Set(plan.parts.map(\.names.file)).count == plan.parts.count)
    }

    @Test(
        "Another session in the path changes only the address",
        arguments: [
            ("s1/#.ts", "s2/#.ts"), ("/a/x/s1/#.ts", "/b/s2/#.ts"), ("#/a.ts?s=1", "s/#/a.ts"),
            ("media_w1_#.ts", "media_w2_#.ts"),
        ])
    func session(first: String, second: String) throws {
        let plan = try plan(
            text(1..<5, first), text(3..<7, second), text(4..<8, second), text(5..<9, first))
        expectWhole(plan, 1...8)
        let path = try url.resolving(second.replacing("#", with: "4")).path
        #expect(plan.parts[3].url.path == path)
    }

    @Test("Dates tell that segments of other names are the same, and that those of the same names are not")
    func dates() throws {
        expectWhole(try plan(text(1..<5, "s1/#.ts", at: 10), text(3..<7, "s2/x#.ts", at: 18)), 1...6)
        expectWhole(try plan(text(1..<5, "s1/#.ts", at: 10), text(3..<7, "s2/x#.ts", at: 19)), 1...6)
        let other = try plan(text(1..<5, "s1/#.ts", at: 10), text(3..<7, "s2/#.ts", at: 48))
        #expect(other.parts.map(\.names.identity.number) == [1, 2, 3, 4, 3, 4, 5, 6])
        #expect(other.parts.map(\.segment.discontinuityCount) == [0, 0, 0, 0, 1, 0, 0, 0])
    }

    @Test("Dates are only as exact as the durations since the last one")
    func rounding() throws {
        let first = text(1..<1001, "s1/#.ts", at: 10)
        let date = "#EXT-X-PROGRAM-DATE-TIME:2026-11-25T11:06:39.000Z\n#EXTINF"
        // The 999th would begin at 11:06:42.
        let second = text(999..<1003, "s2/#.ts").replacing("#EXTINF:4,\ns2/999", with: "\(date):4,\ns2/999")
        expectWhole(try plan(first, second), 1...1002)
    }

    @Test(
        "Other media is not taken for known",
        arguments: [
            // Other files, one other name, another duration, and an encoder that has started again.
            (1..<5, "s1/#.ts", 3..<7, "s2/x#y.ts", 4), (1..<5, "a_#.ts", 4..<7, "b_#.ts", 4),
            (1..<5, "s1/#.ts", 3..<7, "s2/#.ts", 3), (1..<50, "s1/#.ts", 1..<5, "s2/#.ts", 4),
        ] as [(Range<UInt64>, String, Range<UInt64>, String, Int)])
    func other(first: Range<UInt64>, name: String, second: Range<UInt64>, other: String, seconds: Int) throws
    {
        let plan = try plan(text(first, name), text(second, other, seconds: seconds))
        #expect(plan.parts.map(\.names.identity.number) == Array(first) + Array(second))
        #expect(plan.parts[first.count].segment.discontinuityCount == 1)
    }

    private func numbers(_ texts: [String]) throws -> [UInt64] {
        var (plan, keys) = (RenditionPlan(id: RenditionID(kind: .video, index: 0), url: url), KeyNames())
        for text in texts {
            _ = try plan.take(try readMedia(text), base: url, range: nil, keys: &keys)
        }
        #expect(plan.gapSeconds() == 0)
        #expect(Set(plan.parts.map(\.names.file)).count == plan.parts.count)
        return plan.parts.map(\.names.identity.number)
    }

    /// The list of a load: segments from `first` on, under names that no other load has.
    private func hashed(_ load: Int, from first: UInt64) -> String {
        text(first..<first + 4, "l\(load)x#.ts")
    }

    @Test("Names that change with each load are recorded again once, and then tell nothing")
    func changingNames() throws {
        // Each second load brings nothing new.
        let lists = (0..<20).map { hashed($0, from: UInt64($0 / 2)) }
        #expect(try numbers(lists) == Array(0...3) + Array(0...12))
        let plan = try plan(hashed(0, from: 0), hashed(1, from: 1), hashed(2, from: 2), hashed(3, from: 2))
        #expect(plan.parts.map(\.segment.discontinuityCount) == [0, 0, 0, 0, 1, 0, 0, 0, 0])
        #expect(plan.parts.suffix(4).map(\.url.path) == (2...5).map { "/l3x\($0).ts" })
    }

    @Test("Names that change and then stay, as the list goes on, are those of other media")
    func changedNames() throws {
        let lists = [(0, 0), (1, 1), (1, 2), (2, 3)].map { hashed($0, from: UInt64($1)) }
        #expect(try numbers(lists) == [0, 1, 2, 3, 1, 2, 3, 4, 5, 3, 4, 5, 6])
        // An encoder that starts again and again.
        #expect(try numbers((0..<5).map { hashed($0, from: UInt64(20 - $0)) }).count == 20)
    }

    @Test("Where only the first segment of each playlist has a date, those of the others follow from it")
    func datedFirst() throws {
        let lists = [
            text(0..<6, "a#.ts", at: 10), text(1..<7, "a#.ts", at: 14), text(1..<7, "a#.ts", at: 50),
        ]
        #expect(try numbers(lists) == Array(0...6) + Array(1...6))
    }

    @Test("An encoder that starts again with the same numbers and names is recorded: the dates are later")
    func sameNames() throws {
        let plan = try plan(text(1..<5, "a#.ts", at: 10), text(1..<4, "a#.ts", at: 48))
        #expect(plan.parts.map(\.names.identity.number) == [1, 2, 3, 4, 1, 2, 3])
        #expect(plan.parts.map(\.segment.discontinuityCount) == [0, 0, 0, 0, 1, 0, 0])
        // The same list from another clock is no other media.
        #expect(try numbers([text(1..<5, "a#.ts", at: 10), text(1..<5, "a#.ts", at: 20)]).count == 4)
    }

    @Test("What a server that lags behind lists of before the start is left out, unless it goes on")
    func lagging() throws {
        let lists = [
            text(1..<5, "a#.ts", at: 10), text(5..<9, "a#.ts", at: 26), text(1..<4, "a#.ts", at: 48),
        ]
        let lagging = text(5..<10, "a#.ts", at: 26)
        let next = text(2..<6, "a#.ts")
        let whole = Array(1...8) + [1, 2, 3] as [UInt64]
        #expect(try numbers(lists + [lagging, next, lagging]) == whole + [4, 5])
        let seven = Array(repeating: lagging, count: Limits.laggingReadings + 1)
        #expect(try numbers(lists + seven) == whole + [9])
    }

    /// The plan of a process that goes on after another one, as it was when all was fetched.
    private func process(after earlier: RenditionPlan) -> RenditionPlan {
        let names = earlier.parts.map(\.names)
        let recorded = RecordedParts(
            earlier.localPlaylist(isClear: false, isClosed: false), files: Set(names.map(\.file)))
        return RenditionPlan(id: earlier.id, url: url, kept: names, recorded: .success(recorded))
    }

    @Test("A later process finds that the encoder has started again", arguments: [10, nil] as [Int?])
    func sameNamesLater(second: Int?) throws {
        let first = try plan(text(1..<50, "a#.ts", at: second))
        var (plan, keys) = (process(after: first), KeyNames())
        var lines: [PartNames] = []
        for _ in 0..<(second == nil ? Limits.laggingReadings + 1 : 1) {
            let list = try readMedia(text(1..<4, "a#.ts", at: second.map { $0 + 38 }))
            lines += try plan.take(list, base: url, range: nil, keys: &keys)
        }
        let numbers = Array(1...49) + [1, 2, 3] as [UInt64]
        #expect(plan.parts.map(\.names.identity.number) == numbers && lines.count == 3)
        #expect(plan.parts.dropFirst(49).first?.segment.discontinuityCount == 1)
        // Lines of the first run are as they always were.
        let kept = try [first.parts.map(\.names), lines].map { try PartsFile.bytes(of: $0) }
        #expect(kept.map { String(decoding: $0, as: UTF8.self).contains("\"r\":1") } == [false, true])
        #expect(PartsFile.reading(kept[1]).parts == lines)
        var next = process(after: plan)
        lines = try next.take(try readMedia(text(2..<6, "a#.ts")), base: url, range: nil, keys: &keys)
        #expect(next.parts.map(\.names.identity.number) == numbers + [4, 5] && lines.count == 2)
        #expect(next.parts.prefix(52).map(\.names.file) == plan.parts.map(\.names.file))
    }

    /// The plan of a process after the one that has recorded the first list, and the lines it adds.
    private func continued(
        _ first: String, _ second: String
    ) throws -> (plan: RenditionPlan, recorded: [String], lines: [PartNames]) {
        let earlier = try plan(first)
        let names = earlier.parts.map(\.names)
        let recorded = RecordedParts(
            earlier.localPlaylist(isClear: false, isClosed: false), files: Set(names.map(\.file)))
        var (plan, keys) = (
            RenditionPlan(id: earlier.id, url: url, kept: names, recorded: .success(recorded)), KeyNames()
        )
        let lines = try plan.take(try readMedia(second), base: url, range: nil, keys: &keys)
        return (plan, names.map(\.file), lines)
    }

    @Test("A later process knows what was recorded", arguments: [false, true], [nil, 18] as [Int?])
    func laterProcess(isEnded: Bool, second: Int?) throws {
        let (plan, recorded, lines) = try continued(
            text(1..<5, "s1/#.ts", at: second.map { $0 - 8 }),
            text(3..<7, second == nil ? "s2/#.ts" : "s2/x#.ts", at: second, isEnded: isEnded))
        expectWhole(plan, 1...6)
        #expect(plan.parts.prefix(4).map(\.names.file) == recorded && lines.count == 2)
    }

    @Test("A presentation that had ended is known by its paths alone")
    func ended() throws {
        #expect(throws: DownloadError.self) {
            try continued(text(1..<5, "s1/#.ts", isEnded: true), text(1..<5, "s2/#.ts", isEnded: true))
        }
    }
}
