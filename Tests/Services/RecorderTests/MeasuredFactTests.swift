import Catalogue
import Journal
import SegmentStore
import Testing
import Timeline

@testable import Recorder

@Suite("What is measured of a segment")
struct MeasuredFactTests {
    /// The fact of the first segment of a playlist that says ten seconds.
    private func fact(
        measured: Int64?, flags: SegmentFlags = [], keyFrames: KeyFrames? = nil,
    ) throws -> SegmentFact? {
        var driver = try StateDriver([SourceSettings(url: "http://one.test/live.m3u8")])
        let request = try #require(driver.send(.journalRead(.success([])), at: 0).playlistRequests.first)
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n0.ts\n"
        let actions = try driver.answer(request, text, at: 1)
        let wanted = actions.compactMap { if case .fetchSegment(let request) = $0 { request } else { nil } }
        let segment = try #require(wanted.first)
        let key = ArchiveKey.segment(
            PublisherStage.fact(video(0), 0).channel, video(0),
            SegmentName(start: segment.segment.placed.start, revision: 0, fileExtension: .transportStream))
        let stored = StoredSegment(
            object: CommittedObject(key: key, byteCount: 1, digest: [1], wasThere: false),
            format: SegmentFormat(container: .transportStream), flags: flags, plainBytes: 1,
            measuredDuration: measured, keyFrames: keyFrames)
        let written = driver.send(.segmentStored(stored, segment), at: 2).compactMap { action in
            if case .journal(let entries) = action { entries } else { nil }
        }
        for case .segment(let fact) in written.joined() { return fact }
        return nil
    }

    @Test("The fact has the key frames, and a flag that says so")
    func keyFrames() throws {
        let found = KeyFrames(frames: [KeyFrame(offset: 0, byteCount: 1, milliseconds: 0)])
        let fact = try #require(try fact(measured: nil, keyFrames: found))
        #expect(fact.keyFrames == found && fact.flags == .hasKeyFrames)
        #expect(try self.fact(measured: nil)?.flags == [])
    }

    @Test("The fact has it, and EXTINF says it where EXTINF of the source was wrong")
    func wrong() throws {
        for measured: Int64 in [2_000_000, 9_899_999, 10_100_001, 17_500_000] {
            let fact = try #require(try fact(measured: measured, flags: .independent))
            #expect(fact.duration == 10_000_000 && fact.measuredDuration == measured)
            #expect(fact.mediaDuration == measured)
            #expect(fact.flags == [.independent, .measuredDuration])
        }
    }

    @Test(
        "A difference of a tenth of a second or less leaves EXTINF to the timeline",
        arguments: [
            9_900_000, 9_994_000, 10_000_000, 10_006_000, 10_100_000,
        ])
    func small(measured: Int64) throws {
        let fact = try #require(try fact(measured: measured))
        #expect(fact.measuredDuration == measured && fact.mediaDuration == 10_000_000)
        #expect(fact.flags == [])
    }

    @Test(
        "What cannot be measured, or not be believed, leaves EXTINF as it is",
        arguments: [
            nil, 0, -5, 600_000_001,
        ])
    func unknown(measured: Int64?) throws {
        let fact = try #require(try fact(measured: measured))
        #expect(fact.measuredDuration == nil && fact.mediaDuration == 10_000_000 && fact.flags == [])
    }

    @Test("EXTINF that is longer than the target duration has a boundary and a longer target duration")
    func target() {
        var stage = PublisherStage(video(0))
        stage.record(video(0), 0)
        stage.advance(to: 1)
        var fact = PublisherStage.fact(video(0), 6)
        (fact.measuredDuration, fact.flags) = (8_600_000, .measuredDuration)
        stage.list(video(0), 6)
        stage.publisher.stored(fact, now: moment(1))
        stage.advance(to: 2)
        #expect(stage.published(video(0)).map(\.sequence) == [0, 1])
        #expect(stage.discontinuityStarts.map(\.cause) == [.start, .targetDuration])
        #expect(stage.discontinuityStarts.map(\.targetSeconds) == [6, 9])
    }

    @Test("Timestamps that go on by the media are no jump, whatever EXTINF said")
    func trail() {
        func fact(_ number: Int64, at second: Double) -> SegmentFact {
            var fact = PublisherStage.fact(video(0), Double(number) * 6)
            fact.identity.number = number
            fact.flags = [.correctedDuration, .measuredDuration]
            (fact.measuredDuration, fact.firstTimestamp) = (2_000_000, Int64(second * 90_000))
            return fact
        }
        var trail = TimestampContinuity()
        for number: Int64 in 0..<5 {
            #expect(!trail.jumps(to: fact(number, at: Double(number) * 2)))
            trail.take(fact(number, at: Double(number) * 2))
        }
        #expect(trail.jumps(to: fact(5, at: 20)))
        #expect(!trail.jumps(to: fact(5, at: 10)))
    }
}
