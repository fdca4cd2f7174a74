import Catalogue
import Testing
import Timeline

@testable import Recorder

@Suite("Publisher, batch by batch")
struct PublisherBatchTests {
    private let v0 = video(0)
    private let v1 = video(1)

    @Test("A backlog moves by as many facts as are asked for, and to the same decisions as at once")
    func limit() {
        var atOnce = PublisherStage(v0, audio)
        atOnce.record(v0, 0, 6, 12, 24, 30)
        atOnce.record(audio, 0, 6, 12, 18, 24, 30)
        var parts = atOnce
        parts.limit = 2
        atOnce.advance(to: 1)
        for step in 1...5 {
            parts.advance(to: 1)
            #expect(parts.segments.count == 2 * step)
        }
        parts.advance(to: 1)
        parts.advance(to: 1)
        #expect(parts.published(v0) == atOnce.published(v0))
        #expect(parts.published(audio) == atOnce.published(audio))
        #expect(parts.discontinuityStarts == atOnce.discontinuityStarts)
        #expect(parts.watermark == atOnce.watermark)
    }

    @Test(
        "A queue whose stored segments wait for the next batch holds the watermark, however long nothing came"
    )
    func waitingLaneHolds() {
        var stage = PublisherStage(v0, audio)
        stage.record(v0, 0, 6, 12)
        stage.record(audio, 0, 6, 12)
        stage.limit = 1
        stage.advance(to: 1_000)
        #expect(stage.watermark == 0)
        stage.limit = .max
        stage.advance(to: 2_000)
        #expect(stage.published(audio).map(\.start) == [0, 6, 12])
        #expect(stage.archived(audio).isEmpty)
        #expect(stage.watermark == 18)
    }

    @Test("What is still to come from the journal holds the watermark")
    func returningHoldsWatermark() {
        var stage = PublisherStage(v0, audio)
        stage.record(v0, 0, 6, 12)
        stage.publisher.returning = at(0)
        stage.advance(to: 100)
        #expect(stage.published(v0).map(\.start) == [0, 6, 12])
        #expect(stage.watermark == 0)
        stage.record(audio, 0, 6, 12)
        stage.publisher.returning = nil
        stage.advance(to: 100)
        #expect(stage.archived(audio).isEmpty)
        #expect(stage.watermark == 18)
    }

    @Test("A boundary waits for what another rendition still has in the journal, and no longer")
    func returningHoldsBoundary() {
        var stage = PublisherStage(v0, v1)
        stage.record(v0, 0, 6)
        stage.record(v1, 0)
        stage.record(v0, 12, boundary: .listed)
        stage.publisher.returning = at(6)
        stage.advance(to: 100)
        stage.advance(to: 200)
        #expect(stage.discontinuityStarts.count == 1)
        #expect(stage.publisher.waitsForReadBack)
        stage.record(v1, 6)
        stage.publisher.returning = at(18)
        stage.advance(to: 201)
        #expect(stage.published(v1) == [Published(0, 0, 0), Published(6, 1, 0)])
        #expect(stage.published(v0).last == Published(12, 2, 1))
    }

    @Test("What is listed last can be taken back, but nothing that something stored or lost stands behind")
    func detaching() {
        var stage = PublisherStage(v0, v1, audio)
        stage.list(v0, 0, 6, 12, 18)
        stage.store(v0, 6)
        stage.list(v1, 0, 6, 12)
        stage.lose(v1, 6)
        stage.list(audio, 0, 6)
        let taken = stage.publisher.detachExpected().map { PublisherStage.seconds($0.start) }
        #expect(taken.sorted() == [0, 6, 12, 12, 18])
        #expect(stage.publisher.queues[v0]?.segments.map(\.start) == [at(0), at(6)])
        #expect(stage.publisher.queues[v1]?.segments.map(\.start) == [at(0), at(6)])
        #expect(stage.publisher.queues[audio]?.segments.isEmpty == true)
    }

    @Test("What is lost after it was given up is told as lost, once")
    func lostLate() {
        var stage = PublisherStage(v0)
        stage.record(v0, 0)
        stage.list(v0, 6)
        stage.pass(until: 6.4)
        #expect(stage.losses.count == 1 && stage.lost.isEmpty)
        stage.lose(v0, 6)
        stage.advance(to: 7)
        stage.advance(to: 8)
        #expect(stage.lost == [PublisherStage.lost(v0, 6)])
        #expect(stage.losses.count == 1)
    }
}
