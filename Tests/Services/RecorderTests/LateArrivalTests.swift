import Catalogue
import HLS
import Testing
import Timeline

@testable import Recorder

/// A cache that answers with old playlists lists new segments late; so does a source that has stood still.
@Suite("Segments without dates that arrive late")
struct LateArrivalTests {
    /// Follows ten segments of six seconds, of which each is stored; the next one arrives so much later.
    ///
    /// - Returns: whether its media are asked for, and the segment as it is listed then
    private func follow(
        late: Double, timestamp: Double?, isWhole: Bool = true,
    ) throws -> (probes: Bool, segment: ListedSegment, before: ListedSegment, progress: RenditionProgress) {
        var progress = RenditionProgress(RenditionDescription(id: video(0)), choice: .auto)
        progress.run = 7
        var before: ListedSegment?
        for number in 0..<10 {
            before =
                progress.list(
                    Self.playlist(number), from: number == 0 ? 0 : 2, opensHole: number == 0, cause: nil,
                    hole: .sourceStalled, arrival: arrived(1018.5 + Double(number) * 6), shared: [:]
                ).last
            guard let before else { continue }
            let place = Double(before.identity.number)
            _ = progress.judge(
                before,
                PartialSegmentTests.stored(
                    before, measured: isWhole ? 6 * seconds : nil, timestamp: 50 + place * 6,
                    flags: isWhole ? [] : .damaged))
        }
        let arrival = arrived(1018.5 + 60 + late)
        let playlist = Self.playlist(10)
        let finding = progress.findStep(in: playlist, from: 2, at: arrival, shared: [:])
        if finding == .probes(index: 2) {
            let isJudged = progress.judgeStep(before: 12, timestamp: timestamp.map { Int64($0 * 90_000) })
            let isKnown = progress.findStep(in: playlist, from: 2, at: arrival, shared: [:]) == .none
            #expect(isJudged && isKnown)
        }
        let segments = progress.list(
            playlist, from: 2, opensHole: false, cause: nil, hole: .sourceStalled, arrival: arrival,
            shared: [:])
        return (
            finding == .probes(index: 2), try #require(segments.first), try #require(before), progress
        )
    }

    private static func playlist(_ number: Int) -> MediaPlaylist {
        var playlist = list(number...(number + 2))
        playlist.targetDurationSeconds = 6
        for index in playlist.segments.indices { playlist.segments[index].durationMicroseconds = 6 * seconds }
        return playlist
    }

    @Test("follow those before them where their media do, and the timeline comes within a step of arrival")
    func follows() throws {
        var (probes, segment, before, progress) = try follow(late: 20, timestamp: 50 + 72)
        #expect(probes)
        #expect(segment.hole == nil && segment.placed.boundary == nil)
        #expect(segment.placed.start == before.placed.end)
        for number in 11..<40 {
            let next = progress.list(
                Self.playlist(number), from: 2, opensHole: false, cause: nil, hole: .sourceStalled,
                arrival: arrived(1018.5 + Double(number) * 6 + 20), shared: [:])
            segment = try #require(next.first)
            #expect(segment.hole == nil)
        }
        let behind = 1018.5 + 39 * 6 + 20 - 6 - PublisherStage.seconds(segment.placed.start)
        #expect((10...12.5).contains(behind), "\(behind)")
    }

    @Test("lie behind a hole where their media are later, too, or tell nothing", arguments: [92, nil])
    func hole(timestamp: Double?) throws {
        let (probes, segment, before, _) = try follow(late: 20, timestamp: timestamp.map { 50 + $0 })
        #expect(probes)
        #expect(segment.hole == .sourceStalled && segment.placed.boundary == .hole)
        #expect(segment.placed.start == before.placed.end + 20 * seconds)
    }

    @Test("are not read where arrival tells enough: on time, much too late, behind what is not measured")
    func unread() throws {
        for (late, isWhole, isHole) in [(8, true, false), (60, true, true), (20, false, true)] {
            let (probes, segment, _, _) = try follow(late: Double(late), timestamp: 122, isWhole: isWhole)
            #expect(!probes)
            #expect((segment.hole != nil) == isHole, "\(late)")
        }
    }
}
