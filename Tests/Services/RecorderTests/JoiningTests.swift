import HLS
import Testing
import Timeline

@testable import Recorder

@Suite("Joining a source that was in use before")
struct JoiningTests {
    /// Five segments of six seconds are held, from 570 to 600; their time stamps begin at 0.
    private func recorded() -> RenditionProgress {
        var progress = RenditionProgress(RenditionDescription(id: video(0)), choice: .auto, end: at(600))
        progress.run = 7
        for number in 0..<5 {
            var fact = PublisherStage.fact(video(0), Double(number) / 10)
            (fact.start, fact.duration) = (at(570 + Double(number) * 6), 6 * seconds)
            (fact.firstTimestamp, fact.digest) = (Int64(number) * 6 * 90_000, [UInt8(number)])
            progress.hold(fact)
        }
        return progress
    }

    private func list(
        _ playlist: MediaPlaylist, at time: Double, in progress: inout RenditionProgress,
    ) -> [Instant] {
        _ = progress.beginRun()
        progress.run = (progress.run ?? 7) + 1
        return progress.list(
            playlist, from: 0, opensHole: true, cause: "source", hole: .sourceStalled,
            arrival: arrived(time), shared: [:]
        ).map(\.placed.start)
    }

    @Test("Dates in a wrong zone tell nothing in an old playlist: its media show what is held")
    func oldDates() {
        var progress = recorded()
        _ = progress.leaveRun(of: "http://b.test", for: "http://a.test")
        let old = RecorderTests.list(0...4, date: { 570 + Double($0) * 6 - 28_800 })
        var fresh = progress
        #expect(fresh.askToJoin(old, at: arrived(604)) == nil)
        #expect(progress.askToJoin(old, at: arrived(1100)) == 0)
        progress.joined(
            ProbedSegment(digest: [0], firstTimestamp: 0, measuredDuration: 6 * seconds), in: old,
            at: arrived(1100))
        #expect(list(old, at: 1100, in: &progress).isEmpty)
    }

    /// One source has brought a segment, and another one, which lists the same half a minute later, the next.
    private func changedToLateSource() -> RenditionProgress {
        var progress = recorded()
        #expect(list(RecorderTests.list(5...5), at: 606, in: &progress) == [at(600)])
        _ = progress.leaveRun(of: "http://a.test", for: "http://b.test")
        let late = RecorderTests.list(102...106)
        #expect(progress.askToJoin(late, at: arrived(642)) == 0)
        progress.joined(
            ProbedSegment(digest: [], firstTimestamp: 12 * 90_000, measuredDuration: 6 * seconds), in: late,
            at: arrived(642))
        #expect(list(late, at: 642, in: &progress) == [at(606)])
        return progress
    }

    @Test("Where no media show it, it lies as far behind arrival as before, and not as the source between")
    func ownLatency() {
        var progress = changedToLateSource()
        _ = progress.leaveRun(of: "http://b.test", for: "http://a.test")
        #expect(list(RecorderTests.list(0...1), at: 660, in: &progress) == [at(648), at(654)])
        _ = progress.leaveRun(of: "http://a.test", for: "http://b.test")
        #expect(list(RecorderTests.list(120...121), at: 720, in: &progress) == [at(678), at(684)])
    }

    @Test("When the clock is set, sources without dates lie as far behind it as before")
    func clockMoved() {
        var progress = changedToLateSource()
        progress.clockMoved(by: 600 * seconds)
        let next = progress.list(
            RecorderTests.list(107...107), from: 0, opensHole: false, cause: nil, hole: .sourceStalled,
            arrival: arrived(1_248), shared: [:])
        #expect(next.map(\.placed.start) == [at(1_212)])
        _ = progress.leaveRun(of: "http://b.test", for: "http://a.test")
        #expect(list(RecorderTests.list(0...1), at: 1_260, in: &progress) == [at(1_248), at(1_254)])
    }

    @Test("What dates had shown the clock to be off by is not counted twice when that is set right")
    func clockSetRight() {
        var progress = RenditionProgress(RenditionDescription(id: video(0)), choice: .auto)
        // The clock is ten minutes slow, which is less than makes dates implausible.
        #expect(
            list(RecorderTests.list(0...1, date: { 588 + Double($0) * 6 }), at: 0, in: &progress).count == 2)
        #expect(list(RecorderTests.list(0...0), at: 6, in: &progress) == [at(600)])
        _ = progress.leaveRun(of: "http://a.test", for: "http://b.test")
        #expect(list(RecorderTests.list(50...50), at: 12, in: &progress) == [at(606)])
        progress.clockMoved(by: 600 * seconds)
        _ = progress.leaveRun(of: "http://b.test", for: "http://a.test")
        #expect(list(RecorderTests.list(1...1), at: 618, in: &progress) == [at(612)])
    }
}
