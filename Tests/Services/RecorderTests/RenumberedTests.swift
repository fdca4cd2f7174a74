import HLS
import SegmentStore
import Testing
import Timeline

@testable import Recorder

/// A source without dates that counts otherwise from one playlist to the next, while its media go on.
@Suite("What is held is not recorded once more when only its numbers change")
struct RenumberedTests {
    private static let source = SourceSettings(url: "http://one.test/live.m3u8")

    /// Eight segments of six seconds; the names follow the media, not the numbers.
    private static func media(_ first: Int64, number: Int64, names: String = "a") -> String {
        let entries = (first...first + 7).map { "#EXTINF:6,\n\(names)\($0).ts\n" }
        return "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(number)\n" + entries.joined()
    }

    /// Stores what is asked for and what is asked for then; the bytes are those of the medium in its name.
    private static func store(
        _ requests: [SegmentRequest], at time: Double, _ driver: inout StateDriver,
    ) throws -> [SegmentRequest] {
        var (waiting, all) = (requests, requests)
        while let request = waiting.first {
            waiting.removeFirst()
            let segment = request.segment
            let name = SegmentName(start: segment.placed.start, revision: 0, fileExtension: .transportStream)
            let object = CommittedObject(
                key: .segment(PublisherStage.fact(video(0), 0).channel, video(0), name), byteCount: 1,
                digest: [try medium(segment)], wasThere: false)
            let stored = StoredSegment(
                object: object, format: SegmentFormat(container: .transportStream), flags: [], plainBytes: 1)
            let more = driver.send(.segmentStored(stored, request), at: time).segmentRequests
            (waiting, all) = (waiting + more, all + more)
        }
        return all
    }

    private static func medium(_ segment: ListedSegment) throws -> UInt8 {
        try #require(UInt8(segment.entry.uri.dropFirst().dropLast(3)))
    }

    /// What is fetched of the first playlist, of which a segment is read before.
    private static func opened(_ text: String, _ driver: inout StateDriver) throws -> [SegmentRequest] {
        var actions = driver.send(.journalRead(.success([])), at: 0)
        for request in actions.playlistRequests {
            actions += try driver.answer(request, text, at: 0.1)
        }
        for probe in actions.probes {
            let probed = ProbedSegment(digest: [try medium(probe.segment)])
            actions += driver.send(.segmentProbed(probed, probe), at: 0.1)
        }
        return actions.segmentRequests
    }

    /// Media 10 to 17 are held under their own numbers.
    private static func recorded() throws -> (driver: StateDriver, end: Instant) {
        var driver = try StateDriver([source])
        let listed = try store(try opened(media(10, number: 10), &driver), at: 1, &driver)
        return (driver, try #require(listed.map(\.segment.placed.end).max()))
    }

    /// What is fetched once the media are believed under another number; one more is listed every six
    /// seconds.
    ///
    /// Bytes that are read are those of the medium that is named, or of one that is `ahead` of it.
    private static func fetched(
        number: Int64, names: String, ahead: UInt8 = 0, _ driver: inout StateDriver,
    ) throws -> [SegmentRequest] {
        for time in stride(from: 6.0, to: 60, by: 0.5) {
            var actions = driver.send(.clockAdvanced, at: time)
            for request in actions.playlistRequests {
                let slid = Int64((time - 6) / 6)
                let text = media(11 + slid, number: number + slid, names: names)
                actions += try driver.answer(request, text, at: time)
            }
            var probes = actions.probes
            var count = 0
            while let probe = probes.first, count < 10 {
                let probed = ProbedSegment(digest: [try medium(probe.segment) + ahead])
                let answer = driver.send(.segmentProbed(probed, probe), at: time)
                actions += answer
                probes = answer.probes
                count += 1
            }
            let requests = actions.segmentRequests
            if !requests.isEmpty { return try store(requests, at: time, &driver) }
        }
        return []
    }

    @Test(
        "Media that are held are left out, and the next segment follows the last one",
        arguments: [16, 31, 111, 1011, 2000, 5, 2] as [Int64], ["a", "b"])
    func held(number: Int64, names: String) throws {
        var (driver, end) = try Self.recorded()
        let fetched = try Self.fetched(number: number, names: names, &driver)
        let media = Set((18..<18 + fetched.count).map { "\(names)\($0).ts" })
        #expect(!fetched.isEmpty && Set(fetched.map(\.segment.entry.uri)) == media)
        #expect(fetched.map(\.segment.placed.start).min() == end)
    }

    @Test(
        "Other media under another number are all recorded, behind what is held",
        arguments: [111, 2] as [Int64])
    func other(number: Int64) throws {
        var (driver, end) = try Self.recorded()
        let fetched = try Self.fetched(number: number, names: "b", ahead: 40, &driver)
        #expect(fetched.count == 8)
        #expect(try #require(fetched.map(\.segment.placed.start).min()) >= end)
    }

    @Test(
        "A number at the end of the range is followed like any other",
        arguments: [
            "4611686018427387902", "9223372036854775806", "9223372036854775808", "18446744073709551600",
        ])
    func highest(number: String) throws {
        var driver = try StateDriver([Self.source])
        let text = Self.media(10, number: 0).replacing("SEQUENCE:0", with: "SEQUENCE:\(number)")
        let listed = try Self.store(try Self.opened(text, &driver), at: 1, &driver)
        #expect(Set(listed.map(\.segment.entry.uri)) == Set((10...17).map { "a\($0).ts" }))
        driver.send(.clockAdvanced, at: 3)
    }
}
