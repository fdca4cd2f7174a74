import Catalogue
import Testing
import Timeline

@testable import Recorder

@Suite("Publisher")
struct PublisherTests {
    private let v0 = video(0)
    private let v1 = video(1)

    // MARK: In order

    @Test("One rendition in order: numbers rise by one, one epoch, emitted once with the first segment")
    func inOrder() {
        var stage = PublisherStage(v0)
        stage.record(v0, 0, 6, 12)
        stage.advance(to: 1)
        stage.record(v0, 18)
        stage.advance(to: 6)
        #expect(
            stage.published(v0) == [
                Published(0, 0, 0), Published(6, 1, 0), Published(12, 2, 0), Published(18, 3, 0),
            ])
        #expect(
            stage.discontinuityStarts == [
                DiscontinuityStart(sequence: 0, begin: at(0), cause: .start, targetSeconds: 6)
            ])
        #expect(stage.losses.isEmpty)
        #expect(stage.watermark == 24)
    }

    @Test("Of a rendition that is not named any more only what was listed of it is waited for")
    func unnamed() {
        var stage = PublisherStage(v0, v1)
        stage.record(v0, 0, 6)
        stage.record(v1, 0)
        stage.list(v1, 6)
        stage.publisher.setNamed([v0])
        stage.record(v0, 12)
        stage.advance(to: 1)
        #expect(stage.watermark == 6)
        stage.store(v1, 6)
        stage.advance(to: 2)
        #expect(stage.watermark == 18)
        #expect(stage.published(v1).map(\.start) == [0, 6])
        stage.publisher.setNamed([v0, v1])
        stage.record(v0, 18)
        stage.advance(to: 3)
        #expect(stage.watermark == 18)
    }

    @Test("Before the first segment is published there is no live edge, whatever is listed or given up")
    func nothingPublished() {
        var stage = PublisherStage(v0, v1)
        stage.list(v0, 0, 6)
        stage.list(v1, 0)
        stage.advance(to: 1)
        #expect(stage.publisher.watermark == PublishedHead.unused.watermark)
        stage.lose(v0, 0)
        stage.lose(v1, 0)
        stage.advance(to: 2)
        #expect(stage.losses.count == 2)
        #expect(stage.publisher.watermark == PublishedHead.unused.watermark)
        stage.store(v0, 6)
        stage.pass(until: 40)
        #expect(stage.published(v0) == [Published(6, 0, 0)])
        #expect(stage.watermark == 12)
    }

    @Test("What is stored early waits for what is listed before it")
    func outOfOrder() {
        var stage = PublisherStage(v0)
        stage.list(v0, 0, 6)
        stage.store(v0, 6)
        stage.advance(to: 1)
        #expect(stage.segments.isEmpty)
        stage.store(v0, 0)
        stage.advance(to: 2)
        #expect(stage.published(v0) == [Published(0, 0, 0), Published(6, 1, 0)])
    }

    @Test("Three renditions count their own numbers in one epoch, and the slowest holds the watermark")
    func threeInOrder() {
        var stage = PublisherStage(v0, v1, audio)
        stage.record(v0, 0, 6, 12)
        stage.record(v1, 0, 6)
        stage.record(audio, 0)
        stage.advance(to: 1)
        #expect(stage.watermark == 6)
        #expect(stage.published(v0).map(\.number) == [0, 1, 2])
        #expect(stage.published(v1).map(\.number) == [0, 1])
        #expect(stage.published(audio) == [Published(0, 0, 0)])
        #expect(stage.discontinuityStarts.count == 1)
    }

    @Test("Renditions out of step by half a segment share their epochs")
    func misalignedSegments() {
        var stage = PublisherStage(v0, audio)
        stage.record(v0, 0, 6)
        stage.record(audio, 3)
        stage.advance(to: 1)
        stage.record(v0, 12, boundary: .listed)
        stage.record(audio, 9)
        stage.advance(to: 6)
        stage.record(audio, 15, boundary: .listed)
        stage.record(v0, 18)
        stage.pass(until: 40)
        #expect(stage.published(v0).map(\.start) == [0, 6, 12, 18])
        #expect(stage.published(audio).map(\.start) == [3, 9, 15])
        #expect(stage.published(v0).map(\.sequence) == [0, 0, 1, 1])
        #expect(stage.published(audio).map(\.sequence) == [0, 0, 1])
    }

    // MARK: Holes

    @Test(
        "What waits for its key says so when its turn has passed, and goes to the archive when the key comes")
    func keyPending() {
        var stage = PublisherStage(v0)
        stage.record(v0, 0)
        stage.list(v0, 6, 12)
        stage.publisher.noteDelay(of: PublisherStage.identity(v0, 6), .keyMissing)
        stage.store(v0, 12)
        stage.pass(until: 13)
        #expect(stage.losses.map(\.reason) == [.keyMissing] && stage.lost.isEmpty)
        #expect(stage.published(v0).map(\.start) == [0, 12])
        stage.store(v0, 6)
        stage.pass(until: 14)
        let late = stage.segments.filter { $0.number == nil }
        #expect(late.map(\.fact.start) == [at(6)] && late.first?.fact.flags.contains(.late) == true)
    }

    @Test("A key that comes in time costs no order")
    func keyInTime() {
        var stage = PublisherStage(v0)
        stage.record(v0, 0)
        stage.list(v0, 6, 12)
        stage.publisher.noteDelay(of: PublisherStage.identity(v0, 6), .keyMissing)
        stage.store(v0, 12)
        stage.pass(until: 3)
        stage.store(v0, 6)
        stage.pass(until: 4)
        #expect(stage.published(v0).map(\.start) == [0, 6, 12] && stage.losses.isEmpty)
    }

    @Test(
        "A hole in audio: video waits with the watermark for one target duration, then both are in the next epoch"
    )
    func holeInOne() {
        var stage = PublisherStage(v0, audio)
        stage.record(v0, 0)
        stage.record(audio, 0)
        stage.advance(to: 0.1)
        stage.list(audio, 6, 12)
        stage.store(audio, 12)
        stage.record(v0, 6, 12)
        stage.advance(to: 1)
        #expect(stage.published(v0).map(\.start) == [0, 6])
        #expect(stage.watermark == 6)
        stage.advance(to: 6)
        #expect(stage.watermark == 6 && stage.losses.isEmpty)
        stage.pass(until: 6.4)
        #expect(
            stage.losses.map(\.window) == [TimeWindow(begin: at(6), end: at(12))]
                && stage.losses.first?.rendition == audio && stage.losses.first?.reason == .segmentMissing)
        stage.record(v0, 18)
        stage.record(audio, 18)
        stage.advance(to: 7)
        #expect(stage.discontinuityStarts.map(\.sequence) == [0, 1])
        #expect(stage.discontinuityStarts.last?.begin == at(12))
        #expect(stage.published(v0).map(\.sequence) == [0, 0, 1, 1])
        #expect(stage.published(audio) == [Published(0, 0, 0), Published(12, 1, 1), Published(18, 2, 1)])
        #expect(stage.archived(audio).isEmpty)
        #expect(stage.watermark == 24)
    }

    @Test(
        "A hole in one rendition takes nothing from it but the hole: what comes behind is published",
        arguments: 1...3)
    func holeInOne(missing: Int) {
        var stage = PublisherStage(v0, v1, audio)
        for place in 0..<8 {
            let start = Double(place * 6)
            stage.pass(until: start)
            for rendition in [v0, v1] { stage.record(rendition, start) }
            // The audio's list and bytes are a little later than the video's.
            stage.pass(until: start + 0.6)
            stage.list(audio, start)
            if !(2..<2 + missing).contains(place) { stage.store(audio, start) }
        }
        stage.pass(until: 60)
        let all = (0..<8).map { Double($0 * 6) }
        #expect(
            stage.published(audio).map(\.start) == all.filter { $0 < 12 || $0 >= Double(12 + missing * 6) })
        for rendition in [v0, v1] { #expect(stage.published(rendition).map(\.start) == all) }
        #expect(stage.discontinuityStarts.map(\.sequence) == [0, 1])
        #expect([v0, v1, audio].allSatisfy { stage.published($0).last?.sequence == 1 })
        #expect(stage.losses.count == missing)
    }

    @Test("A lost segment is given up at once, with its reason, and is told as lost")
    func lostAtOnce() {
        var stage = PublisherStage(v0)
        stage.record(v0, 0)
        stage.list(v0, 6)
        stage.record(v0, 12)
        stage.lose(v0, 6, .segmentExpired)
        stage.advance(to: 1)
        #expect(stage.losses.map(\.reason) == [.segmentExpired])
        #expect(stage.lost.map(\.identity) == [PublisherStage.identity(v0, 6)])
        #expect(stage.published(v0) == [Published(0, 0, 0), Published(12, 1, 1)])
        #expect(
            stage.discontinuityStarts.last
                == DiscontinuityStart(sequence: 1, begin: at(6), cause: .hole, targetSeconds: 6))
    }

    @Test("Several lost in a row are one boundary")
    func lostInARow() {
        var stage = PublisherStage(v0)
        stage.record(v0, 0)
        stage.list(v0, 6, 12, 18)
        stage.record(v0, 24)
        for start in [6.0, 12, 18] { stage.lose(v0, start) }
        stage.advance(to: 1)
        #expect(stage.losses.count == 3)
        #expect(stage.discontinuityStarts.map(\.sequence) == [0, 1])
    }

    @Test("A segment stored after it was given up goes to the archive only, marked late")
    func late() {
        var stage = PublisherStage(v0)
        stage.record(v0, 0)
        stage.list(v0, 6)
        stage.pass(until: 6.4)
        #expect(stage.losses.count == 1)
        stage.store(v0, 6)
        stage.advance(to: 7)
        #expect(stage.archived(v0) == [6])
        #expect(stage.segments.last?.fact.flags.contains(.late) == true)
        #expect(stage.segments.last?.discontinuitySequence == nil)
        #expect(stage.lost.isEmpty)
    }

    @Test("A report of loss does not take back what is stored")
    func storedThenLost() {
        var stage = PublisherStage(v0)
        stage.list(v0, 0, 6)
        stage.store(v0, 6)
        stage.lose(v0, 6)
        stage.store(v0, 0)
        stage.advance(to: 1)
        #expect(stage.published(v0).map(\.start) == [0, 6])
    }

    @Test("A stored segment waits no longer than one target duration for missing ones, however many they are")
    func manyMissing() {
        var stage = PublisherStage(v0)
        stage.record(v0, 0, lasting: 2)
        stage.advance(to: 0.1)
        for place in 1...20 { stage.list(v0, Double(place * 2), lasting: 2) }
        stage.now = 40
        stage.store(v0, 40, lasting: 2)
        stage.pass(until: 47)
        #expect(stage.published(v0).map(\.start) == [0, 40])
        #expect(stage.losses.count == 19)
    }

    // MARK: Silence

    @Test("A rendition that has brought nothing for three target durations holds the others no longer")
    func silent() {
        var stage = PublisherStage(v0, audio)
        stage.record(v0, 0)
        stage.record(audio, 0)
        stage.advance(to: 0)
        for place in 1...5 {
            stage.now = Double(place * 6)
            stage.record(v0, Double(place * 6))
            stage.advance(to: Double(place * 6))
            if place <= 3 { #expect(stage.watermark == 6) }
        }
        #expect(stage.watermark == 36)
        #expect(stage.discontinuityStarts.count == 1)
    }

    @Test("A rendition whose segments are listed but never come holds the others no longer either")
    func listedButSilent() {
        var stage = PublisherStage(v0, audio, target: 6)
        for place in 0..<40 {
            stage.now = Double(place * 2)
            stage.record(v0, Double(place * 2), lasting: 2)
            stage.list(audio, Double(place * 2), lasting: 2)
            stage.pass(until: Double(place * 2 + 2))
        }
        #expect(stage.watermark >= 74)
    }

    /// Audio that has brought one segment and nothing for thirty seconds, beside video that went on.
    private func silentAudio() -> PublisherStage {
        var stage = PublisherStage(v0, audio)
        stage.record(v0, 0)
        stage.record(audio, 0)
        stage.advance(to: 0)
        for place in 1...5 {
            stage.now = Double(place * 6)
            stage.record(v0, Double(place * 6))
            stage.advance(to: Double(place * 6))
        }
        return stage
    }

    @Test("What a silent rendition brings for time that was said to be complete goes to the archive only")
    func backFromSilence() {
        var stage = silentAudio()
        stage.record(audio, 6, 12, 18, 24, 30, 36)
        stage.record(v0, 36)
        stage.advance(to: 36)
        #expect(stage.archived(audio) == [6, 12, 18, 24, 30])
        #expect(stage.published(audio) == [Published(0, 0, 0), Published(36, 1, 1)])
        #expect(stage.published(v0).last == Published(36, 6, 1))
        #expect(stage.watermark == 42)
    }

    @Test("So does a segment of which a part was said to be complete")
    func straddlesWatermark() {
        var stage = silentAudio()
        #expect(stage.watermark == 36)
        stage.record(audio, 34, 40)
        stage.record(v0, 36, 42)
        stage.advance(to: 36)
        #expect(stage.archived(audio) == [34])
        #expect(stage.published(audio) == [Published(0, 0, 0), Published(40, 1, 1)])
    }

    @Test("With all renditions silent the watermark stands")
    func allSilent() {
        var stage = PublisherStage(v0, audio)
        stage.record(v0, 0, 6)
        stage.record(audio, 0)
        stage.advance(to: 0)
        stage.pass(until: 100)
        #expect(stage.watermark == 6)
    }
}
