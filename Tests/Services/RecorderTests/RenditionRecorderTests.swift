import Journal
import Testing
import Timeline

@testable import Recorder

@Suite("Rendition recorder")
struct RenditionRecorderTests {
    @Test(
        "A segment whose fact the journal could not take is tried for again as long as the source may hold it"
    )
    func journalFull() throws {
        let full = JournalError.full(try #require(ChannelID("news")))
        for error in [full, .diskFull(path: "000001.jsonl")] {
            #expect(RenditionRecorder.pause(after: error, until: moment(10), now: moment(9)) == .seconds(1))
            #expect(RenditionRecorder.pause(after: error, until: moment(10), now: moment(9.5)) == nil)
        }
    }

    @Test("What no later try can mend is not tried again")
    func journalClosed() {
        let errors: [any Error] = [JournalError.closed, FetchFailure(.segmentMissing, "404")]
        for error in errors {
            #expect(RenditionRecorder.pause(after: error, until: moment(10), now: moment(0)) == nil)
        }
    }
}
