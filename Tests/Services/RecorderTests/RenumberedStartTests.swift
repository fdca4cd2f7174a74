import Catalogue
import HLS
import HTTP
import SegmentStore
import Testing
import Timeline

@testable import Recorder

/// The medium with number m lasts six seconds and has timestamps from 6·m on; a source lists it under another
/// number than an earlier playlist did, or than an earlier process had recorded it under.
@Suite("What is held is not recorded once more under other numbers: after a start, or in a long playlist")
struct RenumberedStartTests {
    @Test(
        "Higher numbers after a start are recorded from the first medium on that is not held",
        arguments: [0, 1, 500, 1000, 1001], [false, true])
    func held(gap: Int, isDated: Bool) throws {
        var stage = try RenumberedStage(held: 8)
        stage.isDated = isDated
        try stage.begin(listing: 3...10, as: 9 + gap)
        #expect(stage.fetched == [9, 10])
        #expect(stage.starts == [at(0), at(6)])
        #expect(gap > 1000 || stage.probeCount == 1)
    }

    @Test("So they are when the bytes are others, as where the number is the initialization vector")
    func otherBytes() throws {
        var stage = try RenumberedStage(held: 12)
        stage.era = 1
        try stage.begin(listing: 7...14, as: 60)
        #expect(stage.fetched == [13, 14])
        #expect(stage.starts == [at(0), at(6)])
    }

    @Test(
        "An encoder that has begun again meanwhile, with the timestamps that it began with before, is recorded"
    )
    func beginsAgain() throws {
        var stage = try RenumberedStage(held: 8)
        stage.era = 1
        try stage.begin(listing: 1...2, as: 60, at: 12)
        #expect(stage.fetched == [1, 2])
    }

    @Test("After an ordinary pause all is recorded, and at most one segment is read before")
    func pause() throws {
        for (isDated, count) in [(false, 1), (true, 0)] {
            for first in [9, 12, 40] {
                var stage = try RenumberedStage(held: 8)
                stage.isDated = isDated
                try stage.begin(listing: first...(first + 2), as: first)
                #expect(stage.fetched == Array(first...(first + 2)))
                #expect(stage.probeCount == count)
                #expect(stage.starts.first == at(Double(first - 9) * 6))
            }
        }
    }

    @Test("A segment that cannot be read is recorded as one that follows")
    func unread() throws {
        var stage = try RenumberedStage(held: 8)
        stage.isUnread = true
        try stage.begin(listing: 12...14, as: 12)
        #expect(stage.fetched == [12, 13, 14])
    }

    @Test("A playlist with more segments than are known is compared at one of those that are")
    func longStart() throws {
        var stage = try RenumberedStage(held: 1000)
        try stage.begin(listing: 3...1002, as: 1500)
        #expect(stage.fetched == [1001, 1002])
        #expect(stage.starts == [at(0), at(6)])
    }

    @Test("So it is while it is recorded, also when the bytes are others", arguments: [0, 1] as [UInt8])
    func long(era: UInt8) throws {
        var stage = try RenumberedStage(held: 0)
        try stage.begin(listing: 1...1000, as: 1, at: 0)
        let (count, end) = (stage.fetched.count, try #require(stage.ends.max()))
        #expect(count == 1000)
        stage.era = era
        try stage.goOn(from: 1001, count: 1000, shift: 5000, until: 40)
        let again = stage.fetched.dropFirst(count)
        #expect(!again.isEmpty && Array(again) == Array(1001..<1001 + again.count))
        #expect(stage.starts.dropFirst(count).first == end)
    }
}

/// A channel with one source, of which media are held that end at 0.
private struct RenumberedStage {
    private static let url = "http://one.test/live.m3u8"
    private static let run: Int64 = 7

    private var driver: StateDriver
    private let heldCount: Int
    var isDated = false
    /// What tells the bytes of a medium from those that it had before.
    var era: UInt8 = 0
    /// Bytes that are asked for before a playlist is judged cannot be read.
    var isUnread = false
    private(set) var probeCount = 0
    private var requests: [SegmentRequest] = []

    /// The media 1 to `count` are held under their own numbers; the catalogue has the digests of the newest.
    init(held count: Int) throws {
        heldCount = count
        let known = (0..<count).map { place in
            let medium = place + 1
            let isNew = place >= count - 400
            var segment = KnownSegment(
                run: Self.run, number: Int64(medium), start: at(Double(place - count) * 6),
                duration: 6 * seconds, isLost: false,
                digest: isNew ? Self.digest(of: medium, era: 0) : [])
            segment.firstTimestamp = isNew ? Self.timestamp(of: medium) : nil
            return segment
        }
        let run = SourceRun(
            id: Self.run, source: SourceClient.identity(Self.url), began: at(-60), clock: "source")
        let head = RenditionHead(
            description: RenditionDescription(id: video(0)), nextNumber: Int64(count), known: known)
        driver = try StateDriver(
            [SourceSettings(url: Self.url)], heads: count > 0 ? [head] : [],
            newestRun: count > 0 ? run : nil)
    }

    /// The media of all segments that were fetched, in order.
    var fetched: [Int] { requests.map { Self.medium(of: $0.segment.entry) } }
    var starts: [Instant] { requests.map(\.segment.start) }
    var ends: [Instant] { requests.map(\.segment.end) }

    /// The process begins when the last of the listed media has just ended, or at another time.
    mutating func begin(listing media: ClosedRange<Int>, as number: Int, at time: Double? = nil) throws {
        let now = time ?? max(0, Double(media.upperBound - heldCount) * 6)
        let opening = driver.send(.journalRead(.success([])), at: now)
        for request in act(opening, at: now) {
            _ = act(try driver.answer(request, playlist(media, as: number), at: now), at: now)
        }
    }

    /// A medium more is listed every six seconds, the first of them soon; the numbers are shifted.
    mutating func goOn(from medium: Int, count: Int, shift: Int, until end: Double) throws {
        for time in stride(from: 6.0, to: end, by: 0.5) {
            let newest = medium + Int((time - 6) / 6)
            let actions = driver.send(.clockAdvanced, at: time)
            for request in act(actions, at: time) {
                let media = (newest - count + 1)...newest
                let listed = playlist(media, as: media.lowerBound + shift)
                _ = act(try driver.answer(request, listed, at: time), at: time)
            }
        }
    }

    private func playlist(_ media: ClosedRange<Int>, as number: Int) -> MediaPlaylist {
        let shift = number - media.lowerBound
        let date: ((Int) -> Double)? = isDated ? { Double($0 - shift - heldCount - 1) * 6 } : nil
        return list(
            number...(number + media.count - 1), name: { "m\($0 - shift).ts" }, date: date)
    }

    /// Reads and stores what is asked for; gives the playlists that are asked for.
    private mutating func act(_ asked: [RecordingAction], at time: Double) -> [PlaylistRequest] {
        var (actions, place) = (asked, 0)
        while place < min(actions.count, 100_000) {
            switch actions[place] {
            case .probeSegment(let probe):
                probeCount += 1
                let medium = Self.medium(of: probe.segment.entry)
                let probed = ProbedSegment(
                    digest: Self.digest(of: medium, era: era), firstTimestamp: Self.timestamp(of: medium),
                    measuredDuration: 6 * seconds)
                actions += driver.send(.segmentProbed(isUnread ? nil : probed, probe), at: time)
            case .fetchSegment(let request):
                requests.append(request)
                actions += driver.send(.segmentStored(stored(request.segment), request), at: time)
            default: break
            }
            place += 1
        }
        return actions.playlistRequests
    }

    private static func medium(of entry: MediaSegment) -> Int { Int(entry.uri.dropFirst().dropLast(3)) ?? 0 }

    private static func timestamp(of medium: Int) -> Int64 { Int64(medium) * 6 * 90_000 }

    private static func digest(of medium: Int, era: UInt8) -> [UInt8] { Array("\(medium)".utf8) + [era] }

    private func stored(_ segment: ListedSegment) -> StoredSegment {
        let name = SegmentName(start: segment.placed.start, revision: 0, fileExtension: .transportStream)
        let medium = Self.medium(of: segment.entry)
        let object = CommittedObject(
            key: .segment(PublisherStage.fact(video(0), 0).channel, video(0), name), byteCount: 1000,
            digest: Self.digest(of: medium, era: era), wasThere: false)
        return StoredSegment(
            object: object, format: SegmentFormat(container: .transportStream), flags: [],
            plainBytes: 1000, firstTimestamp: Self.timestamp(of: medium), measuredDuration: 6 * seconds)
    }
}
