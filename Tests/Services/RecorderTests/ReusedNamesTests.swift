import Catalogue
import HLS
import HTTP
import SegmentStore
import Testing
import Timeline

@testable import Recorder

/// The names of its segments follow their numbers: they come again when the numbers do.
@Suite("A source that begins again under the numbers and names that it had before")
struct ReusedNamesTests {
    @Test(
        "Other media are all recorded, once, behind what is held", arguments: [false, true], [1, 3])
    func other(isDated: Bool, count: Int) throws {
        var stage = try ReusedNames(isDated: isDated)
        let held = stage.requests.map(\.segment)
        #expect(held.map(\.identity.number) == Array(10...17))
        stage.beginAgain()
        try stage.run(from: ReusedNames.begin(listing: count), to: 72)
        let again = stage.requests.dropFirst(held.count).map(\.segment)
        try Self.expectWhole(again, behind: at(isDated ? 0 : 0.1), isDated: isDated)
        let former = try #require(held.first).identity.run
        #expect(!again.map(\.identity.run).contains(former))
    }

    @Test("So they are by a process that knows the names from an earlier one", arguments: [false, true])
    func afterKill(isDated: Bool) throws {
        let time = ReusedNames.begin(listing: 3)
        var stage = try ReusedNames(isDated: isDated, resumingAt: time)
        try stage.run(from: time, to: 72)
        let again = stage.requests.map(\.segment)
        try Self.expectWhole(again, behind: at(0), isDated: isDated)
        #expect(!again.map(\.identity.run).contains(ReusedNames.formerRun))
    }

    @Test("The same media, of an origin that shows an old playlist, are not recorded again")
    func same() throws {
        var stage = try ReusedNames(isDated: false)
        try stage.run(from: ReusedNames.begin(listing: 1), to: 72)
        #expect(stage.requests.count == 8)
    }

    /// Each segment once, in one run, none on another; with dates each where its date is.
    private static func expectWhole(
        _ segments: [ListedSegment], behind end: Instant, isDated: Bool,
    ) throws {
        #expect(segments.count >= 6)
        #expect(segments.map(\.identity.number) == (0..<Int64(segments.count)).map { 10 + $0 })
        #expect(Set(segments.map(\.identity.run)).count == 1)
        #expect(try #require(segments.first).start >= end)
        #expect(zip(segments, segments.dropFirst()).allSatisfy { $0.end <= $1.start })
        guard isDated else { return }
        #expect(segments.map(\.start) == segments.map { at(24 + Double($0.identity.number - 10) * 6) })
    }
}

/// A source that has listed numbers 10 to 17 when it begins at number 10 again, with media of 24 s on.
private struct ReusedNames {
    static let formerRun: Int64 = 7
    private static let url = "http://one.test/live.m3u8"

    private var driver: StateDriver
    private let isDated: Bool
    /// What tells the bytes under a name from those that it had before.
    private var era: UInt8 = 0
    /// What was fetched, in order.
    private(set) var requests: [SegmentRequest] = []

    /// When it lists so many segments after its new beginning.
    static func begin(listing count: Int) -> Double { 24 + 6 * Double(count) }

    /// The first playlist is recorded, which ends at 0.
    init(isDated: Bool) throws {
        self.isDated = isDated
        driver = try StateDriver([SourceSettings(url: Self.url)])
        let date: ((Int) -> Double)? = isDated ? { Double($0 - 18) * 6 } : nil
        let opening = driver.send(.journalRead(.success([])), at: 0)
        for request in act(opening, at: 0) {
            _ = act(try driver.answer(request, list(10...17, date: date), at: 0.1), at: 0.1)
        }
    }

    /// An earlier process has recorded the first playlist, and the source has begun again.
    init(isDated: Bool, resumingAt time: Double) throws {
        (self.isDated, era) = (isDated, 1)
        let known = (10...17).map { number in
            KnownSegment(
                run: Self.formerRun, number: Int64(number), start: at(Double(number - 18) * 6),
                duration: 6 * seconds, isLost: false, digest: Self.digest(of: "seg\(number).ts", era: 0))
        }
        let run = SourceRun(
            id: Self.formerRun, source: SourceClient.identity(Self.url), began: at(-48),
            clock: isDated ? "source" : "arrival")
        let head = RenditionHead(
            description: RenditionDescription(id: video(0)), nextNumber: 8, known: known)
        driver = try StateDriver(
            [SourceSettings(url: Self.url)], heads: [head], newestRun: run, begun: time)
        let opening = driver.send(.journalRead(.success([])), at: time)
        for request in act(opening, at: time) {
            _ = act(try driver.answer(request, playlist(at: time), at: time), at: time)
        }
    }

    /// The names have other bytes from now on.
    mutating func beginAgain() {
        era = 1
    }

    /// Answers what is asked for in a time with what is listed after the new beginning.
    mutating func run(from begin: Double, to end: Double) throws {
        for time in stride(from: begin, to: end, by: 0.5) {
            let actions = driver.send(.clockAdvanced, at: time)
            let listed = playlist(at: time)
            for request in act(actions, at: time) {
                _ = act(try driver.answer(request, listed, at: time), at: time)
            }
        }
    }

    private func playlist(at time: Double) -> MediaPlaylist {
        let count = min(8, Int((time - 24) / 6))
        let date: ((Int) -> Double)? = isDated ? { 24 + Double($0 - 10) * 6 } : nil
        return list(10...9 + count, date: date)
    }

    /// Reads and stores what is asked for; gives the playlists that are asked for.
    private mutating func act(_ asked: [RecordingAction], at time: Double) -> [PlaylistRequest] {
        var (actions, place) = (asked, 0)
        while place < min(actions.count, 10_000) {
            switch actions[place] {
            case .probeSegment(let probe):
                let probed = ProbedSegment(digest: Self.digest(of: probe.segment.entry.uri, era: era))
                actions += driver.send(.segmentProbed(probed, probe), at: time)
            case .fetchSegment(let request):
                requests.append(request)
                actions += driver.send(.segmentStored(stored(request.segment), request), at: time)
            default: break
            }
            place += 1
        }
        return actions.playlistRequests
    }

    private static func digest(of name: String, era: UInt8) -> [UInt8] { Array(name.utf8) + [era] }

    private func stored(_ segment: ListedSegment) -> StoredSegment {
        let name = SegmentName(start: segment.placed.start, revision: 0, fileExtension: .transportStream)
        let object = CommittedObject(
            key: .segment(PublisherStage.fact(video(0), 0).channel, video(0), name), byteCount: 1000,
            digest: Self.digest(of: segment.entry.uri, era: era), wasThere: false)
        return StoredSegment(
            object: object, format: SegmentFormat(container: .transportStream), flags: [], plainBytes: 1000)
    }
}
