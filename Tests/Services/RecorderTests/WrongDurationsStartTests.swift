import Catalogue
import HLS
import Testing
import Timeline

@testable import Recorder

/// Nothing is measured yet when the first playlist of a process is placed.
@Suite("EXTINF that is wrong when a process starts")
struct WrongDurationsStartTests {
    /// Segment 0 begins at 0 by the clock and by the media; each takes as long as the others.
    private static func probed(_ number: Int64, length: Double) -> ProbedSegment {
        ProbedSegment(
            digest: [UInt8(truncatingIfNeeded: number)],
            firstTimestamp: Int64(Double(number) * length * 90_000),
            measuredDuration: Int64(length * 1_000_000))
    }

    /// Sixty segments up to number 99 that an earlier process stored.
    private static func head(length: Double) -> RenditionHead {
        let known = (Int64(40)..<100).map { number in
            var segment = KnownSegment(
                run: 7, number: number, start: at(Double(number) * length),
                duration: Int64(length * 1_000_000), isLost: false,
                digest: [UInt8(truncatingIfNeeded: number)])
            segment.firstTimestamp = Int64(Double(number) * length * 90_000)
            return segment
        }
        return RenditionHead(description: RenditionDescription(id: video(0)), nextNumber: 60, known: known)
    }

    /// Segments, the newest of which has just been finished, with an EXTINF, in seconds.
    private static func text(_ first: Int64, _ count: Int64, said: Double) -> String {
        let entries = (first..<first + count).map { "#EXTINF:\(said),\n\($0).ts\n" }
        let target = max(5, Int(said))
        return "#EXTM3U\n#EXT-X-TARGETDURATION:\(target)\n#EXT-X-MEDIA-SEQUENCE:\(first)\n" + entries.joined()
    }

    /// What is fetched at first of the list from a number on, and how many segments were read before that.
    private static func record(
        _ heads: [RenditionHead], from first: Int64, _ count: Int64 = 8, said: Double, length: Double,
    ) throws -> (segments: [ListedSegment], reads: Int) {
        let time = Double(first + count) * length
        var driver = try StateDriver(
            [SourceSettings(url: "http://one.test/live.m3u8")], heads: heads, begun: time)
        let request = try #require(driver.begin(at: time).playlistRequests.first)
        var actions = try driver.answer(request, text(first, count, said: said), at: time + 0.1)
        var reads = 0
        while let probe = actions.probes.first, reads < 5 {
            reads += 1
            let answer = probed(probe.segment.identity.number, length: length)
            actions = driver.send(.segmentProbed(answer, probe), at: time + 0.1)
        }
        return (actions.segmentRequests.map(\.segment), reads)
    }

    private static func errors(_ segments: [ListedSegment], length: Double) -> [Double] {
        segments.map { abs(PublisherStage.seconds($0.placed.start) - Double($0.identity.number) * length) }
    }

    @Test(
        "What is held shows it after a restart: nothing lies far too early, and nothing is counted twice",
        arguments: [(5.0, 1.0), (1.0, 5.0), (2.5, 5.0)])
    func restarted(said: Double, length: Double) throws {
        let (segments, reads) = try Self.record(
            [Self.head(length: length)], from: 112, said: said, length: length)
        #expect(reads == 2)
        #expect(segments.map(\.identity.number) == [112, 113, 114, 115])
        #expect(Self.errors(segments, length: length).allSatisfy { $0 < 0.5 })
        #expect(segments.allSatisfy { abs($0.placed.duration - Int64(length * 1_000_000)) < 20_000 })
        #expect(segments.first?.hole == .recorderDown)
    }

    @Test(
        "Two segments of the first playlist ever show it, and one that EXTINF is right",
        arguments: [(5.0, 1.0, 2), (1.0, 5.0, 2), (2.5, 5.0, 2), (2, 2, 1)])
    func first(said: Double, length: Double, reads expected: Int) throws {
        let (segments, reads) = try Self.record([], from: 112, said: said, length: length)
        #expect(reads == expected)
        #expect(segments.map(\.identity.number) == [112, 113, 114, 115])
        #expect(Self.errors(segments, length: length).allSatisfy { $0 < 0.5 })
    }

    @Test(
        "So do two of a few segments, where EXTINF makes forty seconds of them",
        arguments: [(20.0, 2.0, 3), (10, 2, 4), (10, 2, 6), (60, 6, 3)] as [(Double, Double, Int64)])
    func firstOfFew(said: Double, length: Double, count: Int64) throws {
        let (segments, reads) = try Self.record([], from: 112, count, said: said, length: length)
        #expect(reads == 2)
        #expect(segments.map(\.identity.number) == Array((112..<112 + count).prefix(4)))
        #expect(Self.errors(segments, length: length).allSatisfy { $0 < 0.5 })
    }

    @Test(
        "In a first playlist that is short by EXTINF nothing is read before it is recorded",
        arguments: [(10.0, 3), (6, 6), (60, 2)] as [(Double, Int64)])
    func short(said: Double, count: Int64) throws {
        let (segments, reads) = try Self.record([], from: 112, count, said: said, length: said)
        #expect(reads == 0)
        #expect(segments.map(\.identity.number) == Array((112..<112 + count).prefix(4)))
    }

    @Test(
        "EXTINF that fits what is held is believed after a restart; one segment shows that it is not held",
        arguments: [1.0, 1.5])
    func right(said: Double) throws {
        let (segments, reads) = try Self.record([Self.head(length: 1)], from: 112, said: said, length: 1)
        #expect(reads == 1)
        #expect(Self.errors(segments, length: 1).allSatisfy { $0 <= 8 * (said - 1) + 0.5 })
    }

    @Test("A source that cuts longer segments than before is believed: they are as long as it says")
    func recut() {
        let (reads, progress) = Self.follow([Self.probed(112, length: 5)], said: 5)
        #expect(reads == 1)
        #expect(progress.entries(of: list(112...119)).allSatisfy { $0.duration == 6 * seconds })
    }

    @Test(
        "A segment that cannot be read is not asked for again: without its key what is held tells the lengths",
        arguments: [([], 1), ([ProbedSegment(digest: [])], 5)] as [([ProbedSegment], Int64)])
    func unreadable(answers: [ProbedSegment], length: Int64) {
        let (reads, progress) = Self.follow(answers, said: 5)
        #expect(reads == 1)
        #expect(progress.entries(of: Self.said(5)).allSatisfy { $0.duration == length * seconds })
    }

    @Test("Without EXTINF what is still to be fetched tells the lengths, where nothing that is held does")
    func unfetched() {
        let known = (Int64(112)..<120).map { number in
            KnownSegment(
                run: 7, number: number, start: at(Double(number)), duration: seconds, isLost: false,
                digest: [], isListed: true)
        }
        var progress = RenditionProgress(
            resuming: RenditionHead(
                description: RenditionDescription(id: video(0)), nextNumber: 60, known: known),
            choice: .auto)
        var playlist = list(112...131)
        for index in playlist.segments.indices { playlist.segments[index].durationMicroseconds = 0 }
        let segments = progress.list(
            playlist, from: 8, opensHole: false, cause: nil, hole: .recorderDown, arrival: arrived(132),
            shared: [:])
        #expect(segments.map(\.identity.number) == Array(112...131))
        #expect(segments.allSatisfy { abs($0.placed.duration - seconds) < 20_000 })
    }

    /// Eight segments with an EXTINF, in seconds.
    private static func said(_ length: Int64) -> MediaPlaylist {
        var playlist = list(112...119)
        for index in playlist.segments.indices {
            playlist.segments[index].durationMicroseconds = length * seconds
        }
        return playlist
    }

    /// Segments of a second are held; gives how many of the next playlist are read, and where that leads to.
    private static func follow(
        _ answers: [ProbedSegment], said: Int64,
    ) -> (reads: Int, progress: RenditionProgress) {
        var progress = RenditionProgress(resuming: head(length: 1), choice: .auto)
        let playlist = Self.said(said)
        var reads = 0
        while progress.doubtsDurations(of: playlist, from: 0), reads < 5,
            progress.joinProbeIndex(playlist, at: arrived(120)) != nil
        {
            progress.joined(reads < answers.count ? answers[reads] : nil, in: playlist, at: arrived(120))
            reads += 1
        }
        return (reads, progress)
    }
}
