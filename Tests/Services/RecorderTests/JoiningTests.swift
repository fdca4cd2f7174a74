import HLS
import Testing
import Timeline

@testable import Recorder

@Suite("Joining a source that was in use before")
struct JoiningTests {
    /// Five segments of six seconds are held, from 570 to 600; their timestamps begin at 0.
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
        _ = progress.startRun()
        progress.run = (progress.run ?? 7) + 1
        return progress.list(
            playlist, from: 0, opensHole: true, cause: .source, hole: .sourceStalled,
            arrival: arrived(time), shared: [:]
        ).map(\.placed.start)
    }

    @Test("Dates in a wrong zone tell nothing in an old playlist: its media show what is held")
    func oldDates() {
        var progress = recorded()
        _ = progress.leaveRun(of: "http://b.test", for: "http://a.test")
        let old = RecorderTests.list(0...4, date: { 570 + Double($0) * 6 - 28_800 })
        var fresh = progress
        #expect(fresh.joinProbeIndex(old, at: arrived(604)) == nil)
        #expect(progress.joinProbeIndex(old, at: arrived(1100)) == 0)
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
        #expect(progress.joinProbeIndex(late, at: arrived(642)) == 0)
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

    // MARK: A source that is back in use

    /// Ten segments of six seconds, of which 10 to 14 are held on a timeline that was too late and has come
    /// back: they begin five seconds behind each other.
    private func bent() -> RenditionProgress {
        var progress = RenditionProgress(RenditionDescription(id: video(0)), choice: .auto, end: at(600))
        progress.run = 7
        for number in 10..<15 {
            var fact = PublisherStage.fact(video(0), Double(number) / 10)
            (fact.start, fact.duration) = (at(574 + Double(number - 10) * 5), 5 * seconds)
            (fact.firstTimestamp, fact.digest) = (Int64(number) * 6 * 90_000, [UInt8(number)])
            progress.hold(fact)
        }
        return progress
    }

    /// The source lists what it listed when it was left for another one.
    private func back(_ playlist: MediaPlaylist) -> RenditionProgress {
        var progress = bent()
        progress.follower.take(playlist, now: moment(600))
        _ = progress.leaveRun(of: "http://a.test", for: "http://b.test")
        _ = progress.leaveRun(of: "http://b.test", for: "http://a.test")
        return progress
    }

    @Test(
        "The newest segment that it listed before shows what is held; the next one goes on, however late",
        arguments: [646.0, 700])
    func recalled(nextArrival: Double) {
        let old = RecorderTests.list(5...14)
        var progress = back(old)
        #expect(progress.joinProbeIndex(old, at: arrived(640)) == 9)
        progress.joined(
            ProbedSegment(digest: [14], firstTimestamp: 84 * 90_000, measuredDuration: 6 * seconds), in: old,
            at: arrived(640))
        #expect(list(old, at: 640, in: &progress).isEmpty)
        let next = progress.list(
            RecorderTests.list(6...15), from: 9, opensHole: false, cause: nil, hole: .sourceStalled,
            arrival: arrived(nextArrival), shared: [:])
        #expect(next.map(\.placed.start) == [at(600)])
        #expect(next.map(\.boundary) == [.source])
    }

    @Test("Where its names are those of other segments now, or bytes that are not held, the first one tells")
    func namesAgain() {
        let old = RecorderTests.list(5...14)
        var progress = back(old)
        #expect(progress.joinProbeIndex(old, at: arrived(640)) == 9)
        progress.joined(ProbedSegment(digest: [99]), in: old, at: arrived(640))
        #expect(progress.joinProbeIndex(old, at: arrived(640)) == 0)
        progress.joined(ProbedSegment(digest: [98]), in: old, at: arrived(640))
        #expect(progress.joinProbeIndex(old, at: arrived(640)) == nil)
        #expect(list(old, at: 640, in: &progress).count == 7)
    }

    @Test("What it listed before under the same dates is passed over, though the timeline lies behind them")
    func sameDates() {
        var progress = bent()
        let dated = { (numbers: ClosedRange<Int>) in
            var playlist = RecorderTests.list(numbers, date: { 597 + Double($0 - 14) * 2 })
            playlist.targetDurationSeconds = 2
            for index in playlist.segments.indices {
                playlist.segments[index].durationMicroseconds = 2 * seconds
            }
            return playlist
        }
        // The timeline ends at 600, and by its date the newest one ends at 603.
        progress.follower.take(dated(10...16), now: moment(604))
        _ = progress.leaveRun(of: "http://a.test", for: "http://b.test")
        _ = progress.leaveRun(of: "http://b.test", for: "http://a.test")
        #expect(list(dated(10...16), at: 604, in: &progress).isEmpty)
        let next = progress.list(
            dated(11...17), from: 6, opensHole: false, cause: nil, hole: .sourceStalled,
            arrival: arrived(606), shared: [:])
        #expect(next.map(\.identity.number) == [17])
    }

    @Test("A source between that brought nothing does not keep the next one from being compared")
    func nothingBetween() {
        var progress = recorded()
        _ = progress.leaveRun(of: "http://a.test", for: "http://b.test")
        #expect(progress.joinProbeIndex(RecorderTests.list(100...104), at: arrived(640)) == 0)
        progress.joined(nil, in: RecorderTests.list(100...104), at: arrived(640))
        _ = progress.leaveRun(of: "http://b.test", for: "http://a.test")
        #expect(progress.joinProbeIndex(RecorderTests.list(0...4), at: arrived(660)) == 0)
    }

    @Test("A source whose dates are older than what another one without dates brought is to go on first")
    func oldDatesBehindArrival() {
        var progress = RenditionProgress(RenditionDescription(id: video(0)), choice: .auto)
        #expect(list(RecorderTests.list(0...4), at: 600, in: &progress).count == 5)
        _ = progress.leaveRun(of: "http://a.test", for: "http://b.test")
        let old = { (numbers: ClosedRange<Int>) in
            RecorderTests.list(numbers, date: { 450 + Double($0 - 50) * 6 })
        }
        var current = progress
        let isNew = !current.awaitsNewEntry(
            of: RecorderTests.list(50...52, date: { 594 + Double($0 - 50) * 6 }), at: arrived(612))
        #expect(isNew)
        let awaited = [612.0, 618, 624].map { progress.awaitsNewEntry(of: old(50...52), at: arrived($0)) }
        #expect(awaited == [true, true, true])
        let goesOn = !progress.awaitsNewEntry(of: old(51...53), at: arrived(630))
        #expect(goesOn)
    }
}
