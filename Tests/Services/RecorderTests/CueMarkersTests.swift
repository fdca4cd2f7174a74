import Catalogue
import HLS
import HTTP
import Testing
import Timeline

@testable import Recorder

/// A segment that waits for its key is published without; hours later it is clear that it never comes.
@Suite("Cue tags of a segment whose key never comes")
struct CueMarkersTests {
    private static func media(_ rendition: String) -> String {
        """
        #EXTM3U
        #EXT-X-TARGETDURATION:6
        #EXTINF:6,
        \(rendition)/0.ts
        #EXT-OATCLS-SCTE35:/DAl+w==
        #EXT-X-CUE-OUT:DURATION=30,BREAKID="b'1"
        #EXT-X-VENDOR:1
        #EXTINF:6,
        \(rendition)/1.ts
        #EXT-X-CUE-OUT-CONT:6/30
        #EXTINF:6,
        \(rendition)/2.ts
        #EXTINF:6,
        \(rendition)/3.ts

        """
    }

    private static let multivariant = """
        #EXTM3U
        #EXT-X-STREAM-INF:BANDWIDTH=1000000
        v0.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=2000000
        v1.m3u8

        """

    /// Records two renditions; the keys of their second and third segments never come, and the second ones
    /// come late by so many seconds.
    private func record(_ failure: FetchFailure, late: Double = 0) throws -> Batch {
        var driver = try StateDriver([SourceSettings(url: "http://one.test/live.m3u8")])
        var all = Batch(unpublishedIn: 1)
        var actions = driver.begin(at: 0)
        var coming: [(time: Double, request: SegmentRequest)] = []
        // The last steps are behind the time that a segment waits for its key.
        let first = Array(stride(from: 0.1, through: 20 + 2 * late, by: 0.1))
        let last = Array(stride(from: 7.0 * 3600, through: 7 * 3600 + 10, by: 0.5))
        for time in first + last {
            var next: [RecordingAction] = []
            for (_, request) in coming.filter({ $0.time <= time }) {
                next += driver.send(.segmentKeyMissed(pending(request.segment), request), at: time)
            }
            coming.removeAll { $0.time <= time }
            for action in actions {
                switch action {
                case .fetchPlaylist(let request) where time < 1:
                    let text =
                        request.url.map { Self.media($0.path.hasSuffix("v0.m3u8") ? "v0" : "v1") }
                        ?? Self.multivariant
                    next += try driver.answer(request, text, at: time)
                case .fetchSegment(let request) where late > 0 && request.segment.identity.number == 1:
                    coming.append((time + late, request))
                case .fetchSegment(let request) where [1, 2].contains(request.segment.identity.number):
                    next += driver.send(.segmentKeyMissed(pending(request.segment), request), at: time)
                case .fetchSegment(let request):
                    let stored = PartialSegmentTests.stored(
                        request.segment, measured: nil, timestamp: nil)
                    next += driver.send(.segmentStored(stored, request), at: time)
                case .openPendingSegment(let segment, _):
                    next += driver.send(.pendingSegmentOpened(.failure(failure), segment), at: time)
                case .readJournal: next += driver.send(.journalRead(.success([])), at: time)
                case .commit(let batch):
                    all.segments += batch.segments
                    all.markers += batch.markers
                    all.losses += batch.losses
                    next += driver.send(.catalogueAnswered(.success(true)), at: time)
                default: break
                }
            }
            actions = next + driver.send(.clockAdvanced, at: time)
        }
        return all
    }

    private func pending(_ listed: ListedSegment) -> KeyPendingSegment {
        KeyPendingSegment(
            channel: PublisherStage.fact(video(0), 0).channel, identity: listed.identity,
            start: listed.placed.start, duration: listed.placed.duration, container: .transportStream,
            cipher: .init(keyURL: "http://one.test/key", iv: Ciphered.iv), arrived: listed.arrival,
            source: "", cueTags: listed.keptTags)
    }

    @Test(
        "are markers where it would have begun, once for all renditions, and stand before no other segment",
        arguments: [
            FetchFailure(.keyMissing, "no answer"),
            FetchFailure(.segmentCorrupt, "no media", isTransient: false),
        ])
    func markers(failure: FetchFailure) throws {
        let batch = try record(failure)
        #expect(batch.segments.map(\.fact.identity.number).sorted() == [0, 0, 3, 3])
        #expect(batch.segments.allSatisfy { $0.fact.cueTags.isEmpty })
        let lost = try #require(batch.losses.map(\.window.begin).min())
        #expect(batch.markers.map(\.begin) == [lost, lost])
        #expect(batch.markers.map(\.classID) == ["EXT-OATCLS-SCTE35", "EXT-X-CUE-OUT"])
        #expect(
            batch.markers.map(\.id) == [
                "EXT-OATCLS-SCTE35:/DAl+w==", "EXT-X-CUE-OUT:DURATION=30,BREAKID=%22b'1%22",
            ])
        #expect(batch.markers.map(\.plannedLength) == [nil, 30 * seconds])
        #expect(
            batch.markers.map { DateRange.cueTag(of: $0.attributes) } == [
                "#EXT-OATCLS-SCTE35:/DAl+w==", "#EXT-X-CUE-OUT:DURATION=30,BREAKID=\"b'1\"",
            ])
    }

    @Test("stand before the next segment only, where the segment itself came too late for its turn")
    func lateSegment() throws {
        let batch = try record(FetchFailure(.segmentCorrupt, "no media", isTransient: false), late: 60)
        #expect(batch.segments.map(\.fact.identity.number).sorted() == [0, 0, 3, 3])
        let tags = ["#EXT-OATCLS-SCTE35:/DAl+w==", "#EXT-X-CUE-OUT:DURATION=30,BREAKID=\"b'1\""]
        for segment in batch.segments where segment.fact.identity.number == 3 {
            #expect(segment.fact.cueTags.prefix(2) == tags[...])
        }
        #expect(batch.markers.isEmpty)
    }
}
