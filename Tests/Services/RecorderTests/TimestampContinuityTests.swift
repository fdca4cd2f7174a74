import Catalogue
import Testing
import Timeline

@testable import Recorder

/// A segment of six seconds; its time follows from its number.
private func timed(
    _ number: Int64, at seconds: Double?, of rendition: RenditionID = video(0),
    in container: SegmentExtension = .transportStream,
) -> SegmentFact {
    var fact = PublisherStage.fact(rendition, Double(number) * 6)
    fact.identity = SegmentIdentity(rendition: rendition, run: 1, number: number)
    fact.format.container = container
    let mask: Int64 = container == .transportStream ? 1 << 33 - 1 : .max
    fact.firstTimestamp = seconds.map { Int64($0 * 90_000) & mask }
    return fact
}

@Suite("Timestamps from segment to segment")
struct TimestampContinuityTests {
    /// A trail that has gone on as it should.
    private func trail(upTo last: Int64 = 2) -> TimestampContinuity {
        var trail = TimestampContinuity()
        for number in 0...last { trail.take(timed(number, at: Double(number) * 6)) }
        return trail
    }

    @Test("Stamps that go on by the duration are no jump, also where their 33 bits start again")
    func regular() {
        let wrap = Double(1 << 33) / 90_000
        var trail = TimestampContinuity()
        for number: Int64 in 0..<5 {
            let fact = timed(number, at: wrap - 12 + Double(number) * 6)
            #expect(!trail.jumps(to: fact))
            trail.take(fact)
        }
    }

    @Test(
        "More than half a second and a tenth of the duration off is a jump, either way",
        arguments: [(19.0, false), (19.2, true), (17.0, false), (16.8, true), (0.0, true), (40_000.0, true)])
    func tolerance(second: Double, isJump: Bool) {
        #expect(trail().jumps(to: timed(3, at: second)) == isJump)
    }

    @Test("Fragments count on over more than 33 bits, and their jumps are seen, too")
    func fragments() {
        var trail = TimestampContinuity()
        let begin = 1.7e9
        for number: Int64 in 0..<3 {
            let fact = timed(number, at: begin + Double(number) * 6, in: .fragmentedMP4)
            #expect(!trail.jumps(to: fact))
            trail.take(fact)
        }
        #expect(!trail.jumps(to: timed(3, at: begin + 18, in: .fragmentedMP4)))
        #expect(trail.jumps(to: timed(3, at: 0, in: .fragmentedMP4)))
    }

    @Test("What is not the next of the numbering, or says no time, is not compared")
    func incomparable() {
        var facts = Array(repeating: timed(3, at: 500), count: 3)
        facts[0].identity.run = 2
        facts[1].identity.number = 4
        facts[2].firstTimestamp = nil
        for fact in facts { #expect(!trail().jumps(to: fact)) }
        var unmeasured = trail(upTo: 1)
        var fact = timed(2, at: 12)
        fact.flags = .correctedDuration
        unmeasured.take(fact)
        #expect(!unmeasured.jumps(to: timed(3, at: 500)))
    }

    @Test("A source whose EXTINF never fits its media has no boundary at every segment")
    func wrongDurations() {
        var trail = TimestampContinuity()
        for number: Int64 in 0..<20 {
            let fact = timed(number, at: Double(number) * 10)
            #expect(!trail.jumps(to: fact))
            trail.take(fact)
        }
    }

    @Test("A jump in all renditions is one boundary for all")
    func boundary() {
        var stage = PublisherStage(video(0), video(1))
        for number: Int64 in 0..<5 {
            for rendition in [video(0), video(1)] {
                let fact = timed(number, at: Double(number) * 6 + (number < 3 ? 0 : 1000), of: rendition)
                let segment = PendingSegment(fact.placed)
                stage.publisher.listed([segment], of: rendition, now: moment(stage.now))
                stage.publisher.stored(fact, now: moment(stage.now))
            }
            stage.advance(to: Double(number) * 6 + 1)
        }
        #expect(stage.discontinuityStarts.map(\.cause) == [.start, .timestamps])
        #expect(stage.discontinuityStarts.last?.begin == at(18))
        for rendition in [video(0), video(1)] {
            #expect(stage.published(rendition).map(\.sequence) == [0, 0, 0, 1, 1])
        }
    }
}
