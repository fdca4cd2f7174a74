import Catalogue
import HLS
import Testing
import Timeline

@testable import Recorder

@Suite("A segment of a source of which another one was longer when it was fetched again")
struct GrowingSegmentTests {
    /// The first segment has grown; all others are whole but the third one.
    private func grown(
        discontinuityAt discontinuity: Int64? = nil, measured: Double, bytes: Int64,
    ) throws -> PartialRecordingTests.Recording {
        var recording = try PartialRecordingTests.Recording(discontinuityAt: discontinuity)
        recording.store(1, measured: 6, bytes: 1000, at: 0.5)
        recording.store(0, measured: 2.4, bytes: 400, at: 0.5)
        recording.pass(from: 0.6, until: 1)
        recording.store(0, measured: 6, bytes: 1000, revision: 1, at: 1)
        recording.store(2, measured: measured, bytes: bytes, at: 1)
        recording.store(3, measured: 6, bytes: 1000, at: 1.2)
        recording.pass(from: 1.2, until: 1.6)
        return recording
    }

    @Test(
        "is asked for again where a discontinuity stands behind it, or EXTINF leaves open what is missing",
        arguments: [(3, 4.8, 800), (nil, 5.5, 920)] as [(Int64?, Double, Int64)])
    func end(discontinuity: Int64?, measured: Double, bytes: Int64) throws {
        var recording = try grown(discontinuityAt: discontinuity, measured: measured, bytes: bytes)
        // What it says of itself is near enough: it is published.
        #expect(recording.published == [0, 1, 2, 3] && recording.isAskedFor == [2])
        recording.store(2, measured: 6, bytes: 1000, revision: 1, at: 1.8)
        for time in stride(from: 2, to: 60, by: 0.2) {
            recording.pass(from: time, until: time)
            if recording.isAskedFor.contains(2) { recording.fail(2, at: time) }
        }
        let repair = try #require(recording.segments.last)
        #expect(repair.number == nil && repair.fact.replaces == 0 && repair.fact.mediaDuration == 6_000_000)
        // In front of a discontinuity nothing shows that this is all of it.
        #expect(recording.retries.count == (discontinuity == nil ? 2 : 4))
    }

    @Test("is asked for twice in front of a discontinuity where nothing is missing")
    func whole() throws {
        var recording = try grown(discontinuityAt: 3, measured: 6, bytes: 1000)
        for time in stride(from: 1.8, to: 60, by: 0.2) {
            recording.pass(from: time, until: time)
            if recording.isAskedFor.contains(2) { recording.fail(2, at: time) }
        }
        #expect(recording.retries.count == 3 && recording.segments.count == 4)
    }

    @Test("is not asked for again where nothing is missing, as the next one shows")
    func confirmed() throws {
        #expect(try grown(measured: 6, bytes: 1000).isAskedFor.isEmpty)
    }

    /// What becomes of a list of six-second segments, of which the first one has grown.
    private struct Listing {
        var progress = RenditionProgress(RenditionDescription(id: video(0)), choice: .auto)
        let segments: [ListedSegment]
        private(set) var asked: [(segment: ListedSegment, held: IncompleteSegment)] = []

        init(_ count: Int, isContinuous: Bool) {
            progress.run = 7
            var playlist = list(0...(count - 1))
            for index in playlist.segments.indices where !isContinuous {
                playlist.segments[index].discontinuityCount = 1
            }
            segments = progress.list(
                playlist, from: 0, opensHole: true, cause: nil, hole: .sourceStalled, arrival: arrived(100),
                shared: [:])
            store(0, measured: 2.4, bytes: 400)
            let held = IncompleteSegment(stored(0, measured: 2.4, bytes: 400))
            store(0, measured: 6, bytes: 1000, replacing: held)
        }

        mutating func store(
            _ number: Int, measured: Double, bytes: Int64 = 800, replacing held: IncompleteSegment? = nil,
        ) {
            let stored = stored(number, measured: measured, bytes: bytes)
            asked += progress.judge(segments[number], stored, replacing: held).cut
        }

        private func stored(_ number: Int, measured: Double, bytes: Int64) -> StoredSegment {
            PartialSegmentTests.stored(
                segments[number], measured: Int64(measured * 1_000_000), timestamp: Double(number) * 6,
                bytes: bytes)
        }

        var numbers: [Int64] { asked.map(\.segment.identity.number) }
    }

    @Test("is not asked for without a reason for longer than some segments after the last one that grew")
    func bounded() {
        var listing = Listing(200, isContinuous: false)
        for number in 1..<200 {
            let count = listing.asked.count
            listing.store(number, measured: 6)
            for (segment, held) in listing.asked.dropFirst(count) {
                listing.progress.settled(segment.identity.number, held)
            }
        }
        #expect(listing.numbers == Array(0...Int64(Limits.comparedSegments)))
    }

    @Test("waits while others are asked for, and then has its turn")
    func turns() {
        var listing = Listing(8, isContinuous: true)
        for number in 1..<8 { listing.store(number, measured: 4.8) }
        #expect(listing.numbers == [1, 2, 3])
        for number in 1..<7 {
            guard listing.asked.count >= number else { break }
            listing.store(number, measured: 6, bytes: 1000, replacing: listing.asked[number - 1].held)
        }
        #expect(listing.numbers == [1, 2, 3, 4, 5, 6])
    }
}
