import Catalogue
import Testing
import Timeline

@testable import Recorder

@Suite("Publisher: epochs")
struct PublisherEpochTests {
    private let v0 = video(0)
    private let v1 = video(1)

    @Test("A boundary that both ask for is one epoch")
    func askedByBoth() {
        var stage = PublisherStage(v0, audio)
        stage.record(v0, 0)
        stage.record(audio, 0)
        stage.record(v0, 6, boundary: .listed)
        stage.record(audio, 6, boundary: .listed)
        stage.advance(to: 1)
        #expect(stage.discontinuityStarts.map(\.sequence) == [0, 1])
        #expect(stage.published(v0).map(\.sequence) == [0, 1])
        #expect(stage.published(audio).map(\.sequence) == [0, 1])
        #expect(
            stage.discontinuityStarts.last
                == DiscontinuityStart(sequence: 1, begin: at(6), cause: .listed, targetSeconds: 6))
    }

    @Test("Who asks waits until the other has come to the boundary")
    func waitsForTheOther() {
        var stage = PublisherStage(v0, audio)
        stage.record(v0, 0)
        stage.record(audio, 0)
        stage.record(v0, 6, 12, boundary: .listed)
        stage.list(audio, 6)
        stage.advance(to: 1)
        #expect(stage.published(v0).map(\.sequence) == [0, 1])
        stage.record(v0, 18, boundary: .listed)
        stage.advance(to: 3)
        #expect(stage.published(v0).count == 2)
        stage.store(audio, 6)
        stage.advance(to: 4)
        stage.record(audio, 12)
        stage.advance(to: 5)
        #expect(stage.published(v0).map(\.sequence) == [0, 1, 1, 2])
        #expect(stage.published(audio).map(\.sequence) == [0, 1, 1])
    }

    @Test("A boundary that the other never reaches is waited for three target durations")
    func neverReached() {
        var stage = PublisherStage(v0, audio)
        stage.record(v0, 0, 6)
        stage.record(audio, 0)
        stage.advance(to: 0)
        stage.record(v0, 12, boundary: .listed)
        for time in stride(from: 1.0, through: 17, by: 1) {
            if time == 10 { stage.record(audio, 6, lasting: 2) }
            stage.advance(to: time)
            #expect(stage.discontinuityStarts.count == 1)
        }
        stage.pass(until: 19.4)
        #expect(stage.published(v0).last == Published(12, 2, 1))
        #expect(stage.discontinuityStarts.last?.begin == at(12))
    }

    @Test("A new initialization section in one and then in the other is one epoch")
    func stateChange() {
        var stage = PublisherStage(v0, audio)
        stage.record(v0, 0, initName: "init-1.mp4")
        stage.record(audio, 0, initName: "init-a.mp4")
        stage.record(v0, 6, initName: "init-2.mp4")
        stage.advance(to: 1)
        stage.record(audio, 6, initName: "init-b.mp4")
        stage.advance(to: 2)
        #expect(stage.discontinuityStarts.map(\.cause) == [.start, .format])
        #expect(stage.published(v0).map(\.sequence) == [0, 1])
        #expect(stage.published(audio).map(\.sequence) == [0, 1])
    }

    @Test("A key that changes is no boundary")
    func keyChange() {
        var stage = PublisherStage(v0)
        stage.record(v0, 0)
        stage.list(v0, 6)
        var fact = PublisherStage.fact(v0, 6)
        fact.format.keyName = "another"
        stage.publisher.stored(fact, now: moment(stage.now))
        stage.advance(to: 1)
        #expect(stage.published(v0).map(\.sequence) == [0, 0])
    }

    @Test("An encoder restart that all three show within three target durations is one epoch")
    func restartInAll() {
        var stage = PublisherStage(v0, v1, audio)
        for rendition in [v0, v1, audio] { stage.record(rendition, 0, 6) }
        stage.advance(to: 0)
        stage.record(v0, 30, boundary: .restart)
        stage.pass(until: 3)
        stage.record(v1, 30, boundary: .restart)
        stage.pass(until: 9)
        stage.record(audio, 31, boundary: .restart)
        stage.pass(until: 10)
        #expect(stage.discontinuityStarts.map(\.cause) == [.start, .restart])
        #expect(stage.discontinuityStarts.last?.begin == at(12))
        for rendition in [v0, v1, audio] { #expect(stage.published(rendition).map(\.sequence) == [0, 0, 1]) }
    }

    @Test(
        "Missing time before a segment is a boundary; a millisecond is none",
        arguments: [(12.001, 0), (12.1, 1)])
    func hole(start: Double, epoch: Int32) {
        var stage = PublisherStage(v0)
        stage.record(v0, 0, 6)
        stage.record(v0, start)
        stage.advance(to: 1)
        #expect(stage.published(v0).last == Published(start, 2, epoch))
    }

    @Test(
        "After a boundary only what begins at most half its duration before it is published",
        arguments: [(3.8, [8.0], [11.8]), (4.2, [], [8.0, 12.2])])
    func halfASegment(lasting: Double, archived: [Double], published: [Double]) {
        var stage = PublisherStage(v0, audio)
        stage.record(v0, 0)
        stage.record(v0, 6, lasting: 4)
        stage.record(audio, 0)
        stage.record(audio, 6, lasting: 2)
        stage.advance(to: 0)
        stage.record(v0, 10, boundary: .listed)
        stage.pass(until: 16)
        stage.list(audio, 8, lasting: lasting)
        stage.pass(until: 20)
        #expect(stage.discontinuityStarts.last?.begin == at(10))
        stage.store(audio, 8, lasting: lasting)
        stage.record(audio, 8 + lasting)
        stage.advance(to: 20.2)
        #expect(stage.archived(audio) == archived)
        #expect(stage.published(audio).dropFirst(2).map(\.start) == published)
        #expect(stage.published(audio).dropFirst(2).allSatisfy { $0.sequence == 1 })
    }

    @Test("What all have at hand is published in step: none runs ahead of a boundary of another")
    func inStep() {
        var stage = PublisherStage(v0, audio)
        stage.record(v0, 0, 6, 12, 18, 24)
        stage.record(audio, 0)
        stage.list(audio, 6)
        stage.record(audio, 12, 18, 24)
        stage.lose(audio, 6)
        stage.advance(to: 1)
        #expect(stage.published(audio).map(\.start) == [0, 12, 18, 24])
        #expect(stage.published(v0).map(\.sequence) == [0, 0, 1, 1, 1])
    }

    // MARK: Target duration

    @Test("A segment that is too long for the target duration begins an epoch with a longer one")
    func longSegment() {
        var stage = PublisherStage(v0, audio)
        stage.record(v0, 0)
        stage.record(audio, 0)
        stage.advance(to: 0)
        stage.record(v0, 6, lasting: 8.6)
        stage.record(audio, 6)
        stage.advance(to: 1)
        #expect(stage.discontinuityStarts.map(\.targetSeconds) == [6, 9])
        #expect(stage.discontinuityStarts.last?.cause == .targetDuration)
        #expect(stage.published(v0).map(\.sequence) == [0, 1])
        #expect(stage.published(audio).map(\.sequence) == [0, 1])
    }

    @Test("Durations count rounded to the nearest second", arguments: [(6.49, 0), (6.5, 1)])
    func rounding(duration: Double, epoch: Int32) {
        var stage = PublisherStage(v0)
        stage.record(v0, 0)
        stage.advance(to: 0)
        stage.record(v0, 6, lasting: duration)
        stage.advance(to: 1)
        #expect(stage.published(v0).last?.sequence == epoch)
    }

    @Test("A source that raises its target duration changes no list within its epoch")
    func sourceRaises() {
        var stage = PublisherStage(v0)
        stage.record(v0, 0)
        stage.advance(to: 1)
        stage.publisher.sourceTarget(10)
        stage.record(v0, 6)
        stage.advance(to: 6)
        #expect(stage.publisher.targetSeconds == 6)
        #expect(stage.discontinuityStarts.count == 1)
        stage.record(v0, 12, lasting: 10)
        stage.advance(to: 12)
        #expect(stage.discontinuityStarts.map(\.targetSeconds) == [6, 10])
        #expect(stage.publisher.targetSeconds == 10)
    }

    @Test("A rendition that comes late and has longer segments does not break the target duration either")
    func longSegmentOfAnother() {
        var stage = PublisherStage(v0, audio)
        stage.record(v0, 0)
        stage.advance(to: 1)
        stage.record(audio, 0, lasting: 9)
        stage.advance(to: 2)
        let broken = stage.segments.filter { segment in
            let target =
                stage.discontinuityStarts.last { $0.sequence == segment.discontinuitySequence }?.targetSeconds
                ?? 0
            return segment.number != nil && segment.fact.duration > Int64(target) * seconds
        }
        #expect(broken.isEmpty)
    }

    // MARK: Coming back

    private static let publishedHead = PublishedHead(
        discontinuitySequence: 4, end: at(60), watermark: at(54), expiredBefore: Instant(microseconds: 0),
        targetSeconds: 6)

    private func resumed(_ ends: [(RenditionID, Double, Int32)]) -> PublisherStage {
        var stage = PublisherStage(publishedHead: Self.publishedHead)
        for (rendition, end, epoch) in ends {
            var queue = RenditionQueue(rendition: rendition, nextNumber: 10, now: moment(60))
            queue.publishedEnd = at(end)
            queue.settledEnd = at(end)
            queue.discontinuitySequence = epoch
            queue.format = PublisherStage.fact(rendition, 0).format
            stage.publisher.open(queue)
        }
        stage.now = 60
        return stage
    }

    @Test("Resumed where it stopped there is no boundary")
    func resumedContiguous() {
        var stage = resumed([(v0, 60, 4), (audio, 54, 4)])
        stage.record(v0, 60)
        stage.record(audio, 54, 60)
        stage.advance(to: 61)
        #expect(stage.discontinuityStarts.isEmpty)
        #expect(stage.published(v0) == [Published(60, 10, 4)])
        #expect(stage.published(audio) == [Published(54, 10, 4), Published(60, 11, 4)])
        #expect(stage.watermark == 66)
    }

    @Test("Resumed with a hole there is one boundary for all")
    func resumedWithHole() {
        var stage = resumed([(v0, 60, 4), (audio, 60, 4)])
        stage.record(v0, 600)
        stage.record(audio, 600)
        stage.advance(to: 600)
        #expect(
            stage.discontinuityStarts == [
                DiscontinuityStart(sequence: 5, begin: at(60), cause: .hole, targetSeconds: 6)
            ])
        #expect(stage.published(v0) == [Published(600, 10, 5)])
        #expect(stage.published(audio) == [Published(600, 10, 5)])
    }

    @Test("A rendition that had not entered the last epoch publishes nothing that may lie before its begin")
    func resumedBehindEpoch() {
        var stage = resumed([(v0, 60, 4), (audio, 42, 3)])
        stage.record(audio, 42, 48, 54, 60)
        stage.record(v0, 60)
        stage.advance(to: 61)
        #expect(stage.archived(audio) == [42, 48, 54])
        #expect(stage.published(audio) == [Published(60, 10, 4)])
        #expect(stage.discontinuityStarts.isEmpty)
    }

    @Test("What begins before the published end goes to the archive only: the log never runs back")
    func neverBack() {
        var stage = resumed([(v0, 60, 4)])
        stage.record(v0, 30)
        stage.record(v0, 60)
        stage.advance(to: 61)
        #expect(stage.archived(v0) == [30])
        #expect(stage.published(v0) == [Published(60, 10, 4)])
        #expect(stage.watermark == 66)
    }
}
