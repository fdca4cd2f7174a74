import Concurrency
import Journal
import TestSupport
import Testing
import Timeline

@testable import Recorder

@Suite("Backlog")
struct BacklogTests {
    private func facts(_ starts: [Double]) -> [SegmentFact] {
        starts.map { PublisherStage.fact(video(0), $0) }
    }

    private func starts(_ released: [(segment: PendingSegment, fact: SegmentFact?)]) -> [Double] {
        released.map { PublisherStage.seconds($0.segment.start) }
    }

    /// Positions are the journal's to give.
    private func positions(_ count: Int) async throws -> [JournalPosition] {
        let folder = try TemporaryFolder("journal")
        let journal = try Journal.open(folder: folder.path, clock: .system, logger: silentLogger)
        let channel = try journal.channel(PublisherStage.fact(video(0), 0).channel)
        let loss = Loss(window: TimeWindow(begin: at(0), end: at(6)), reason: .sourceGap)
        let lines = try await channel.append(Array(repeating: .loss(loss), count: count))
        await journal.close()
        return lines
    }

    @Test("What was stored out of turn comes back in turn, also over two readings")
    func order() {
        var backlog = Backlog()
        let count = Limits.reorderedFacts
        let first = (0..<count).map { Double($0 * 6) }.filter { $0 != 600 }
        backlog.take(facts(first.reversed()), upTo: nil, isShort: false)
        let early = backlog.release()
        #expect(early.isEmpty)
        #expect(backlog.begin == at(0))
        backlog.take(facts([600] + (count...count + 50).map { Double($0 * 6) }), upTo: nil, isShort: false)
        let middle = backlog.release()
        #expect(starts(middle) == (0...50).map { Double($0 * 6) })
        #expect(backlog.begin == at(306))
        backlog.take([], upTo: nil, isShort: true)
        let rest = backlog.release()
        #expect(starts(rest) == (51...count + 50).map { Double($0 * 6) })
        #expect(backlog.isAtEnd)
    }

    @Test("It ends only when the last line left to it was read, with what is still under way in its place")
    func end() async throws {
        let lines = try await positions(3)
        var backlog = Backlog(underWay: facts([6, 18]).map(segment))
        backlog.noteWritten(at: lines[2])
        backlog.take(facts([0]), upTo: lines[1], isShort: true)
        let early = backlog.release()
        #expect(early.isEmpty && !backlog.isAtEnd)
        #expect(backlog.hasRead(lines[1]) && !backlog.hasRead(lines[2]))
        backlog.list(facts([24]).map(segment))
        let settled = [backlog.settle(facts([18])[0].identity), backlog.settle(facts([18])[0].identity)]
        #expect(settled == [true, false])
        backlog.take(facts([12]), upTo: lines[2], isShort: true)
        let released = backlog.release()
        #expect(backlog.isAtEnd)
        #expect(starts(released) == [0, 6, 12, 24])
        #expect(released.map { $0.fact != nil } == [true, false, true, false])
    }

    @Test("A fact that is read is not under way any more, though its own task has not come back yet")
    func readBeforeTold() {
        var backlog = Backlog(underWay: facts([0]).map(segment))
        backlog.take(facts([0]), upTo: nil, isShort: true)
        let released = backlog.release()
        #expect(starts(released) == [0])
    }

    private func segment(_ fact: SegmentFact) -> PendingSegment {
        PendingSegment(fact.placed)
    }
}
