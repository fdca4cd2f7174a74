import HTTP
import Journal
import Testing
import Timeline

@testable import Recorder

@Suite("Entries on their way into the journal")
struct JournalQueueTests {
    private static func loss(_ start: Double) -> JournalEntry {
        .loss(Loss(window: TimeWindow(begin: at(start), end: at(start + 6)), reason: .segmentMissing))
    }

    private static func write(_ start: Double, until: Double?) -> JournalQueue.Write {
        JournalQueue.Write(entry: loss(start), purpose: .other, retryUntil: until.map { moment($0) })
    }

    @Test("go one append at a time; what comes meanwhile shares the next one")
    func order() {
        var queue = JournalQueue()
        queue.add([Self.loss(0)])
        #expect(queue.next(now: moment(0)) == [Self.loss(0)])
        queue.add([Self.loss(6), Self.loss(12)])
        #expect(queue.next(now: moment(0)) == nil)
        #expect(queue.written().map(\.entry) == [Self.loss(0)])
        #expect(queue.next(now: moment(0)) == [Self.loss(6), Self.loss(12)])
    }

    @Test(
        "A segment whose fact the journal could not take is written again as long as the source may hold it")
    func journalFull() throws {
        let full = JournalError.full(try #require(ChannelID("news")))
        for error in [full, .diskFull(path: "000001.jsonl")] {
            for (now, isRepeated) in [(9.0, true), (9.5, false)] {
                var queue = JournalQueue()
                queue.add(Self.write(0, until: 10))
                #expect(queue.next(now: moment(now))?.count == 1)
                #expect(queue.failed(error, now: moment(now)).isEmpty == isRepeated)
                #expect(queue.next(now: moment(now)) == nil)
                #expect(queue.next(now: moment(now + 1))?.count == (isRepeated ? 1 : nil))
            }
        }
    }

    @Test("What no later try can change is given up; only what the journal refuses, not what came with it")
    func refused() {
        var queue = JournalQueue()
        for start in [0.0, 6, 12] { queue.add(Self.write(start, until: 100)) }
        #expect(queue.next(now: moment(0))?.count == 3)
        let error = JournalError.entryTooLarge(byteCount: 300_000)
        #expect(queue.failed(error, now: moment(0)).isEmpty)
        #expect(queue.next(now: moment(0)) == [Self.loss(0)])
        #expect(queue.failed(error, now: moment(0)).map(\.entry) == [Self.loss(0)])
        #expect(queue.next(now: moment(0)) == [Self.loss(6)])
        #expect(queue.written().count == 1)
        #expect(queue.next(now: moment(0)) == [Self.loss(12)])
    }
}
