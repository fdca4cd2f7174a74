import HLS
import Monitoring
import Testing
import Timeline

@testable import Catalogue
@testable import Recorder

@Suite("Rendition progress")
struct RenditionProgressTests {
    private func progress(end: Double? = nil) -> RenditionProgress {
        var progress = RenditionProgress(
            RenditionDescription(id: video(0)), choice: .auto, end: end.map { at($0) })
        progress.run = 7
        return progress
    }

    private func starts(_ segments: [ListedSegment]) -> [Double] {
        segments.map { PublisherStage.seconds($0.start) }
    }

    private func take(
        _ progress: inout RenditionProgress, _ list: MediaPlaylist, from: Int = 0, opensHole: Bool = false,
        cause: DiscontinuityCause? = nil, arrival: Double,
    ) -> [ListedSegment] {
        progress.list(
            list, from: from, opensHole: opensHole, cause: cause, hole: .sourceJump,
            arrival: Arrival(date: at(arrival), steady: moment(arrival)),
            shared: [:])
    }

    @Test("What is missing before the first playlist of a process is missing because the recorder was down")
    func downBeforeStart() {
        let known = (0..<3).map {
            KnownSegment(
                run: 2, number: $0, start: at(Double($0) * 6), duration: 6 * seconds, isLost: false,
                digest: [1])
        }
        let head = RenditionHead(
            description: RenditionDescription(id: video(0)), nextNumber: 3, last: nil, known: known)
        var progress = RenditionProgress(resuming: head, choice: .auto)
        #expect(progress.hole(skips: 0, present: nil) == .recorderDown)
        #expect(progress.hole(skips: 5, present: nil) == .recorderDown)
        _ = take(&progress, list(20...22, date: { Double($0) * 6 }), opensHole: true, arrival: 140)
        #expect(progress.hole(skips: 0, present: nil) == .sourceStalled)
        #expect(progress.hole(skips: 5, present: nil) == .sourceJump)
        #expect(progress.hole(skips: 5, present: .sourceUnreachable) == .sourceUnreachable)
        progress.outage = .sourceEnded
        #expect(progress.hole(skips: 5, present: .sourceUnreachable) == .sourceEnded)
    }

    @Test("Recording goes on with the run that was recorded last, also if a former owner began another later")
    func newestRun() {
        let known = [(run: Int64(2), number: Int64(40), start: 600.0), (2, 41, 606), (3, 7, 300)].map {
            KnownSegment(
                run: $0.run, number: $0.number, start: at($0.start), duration: 6 * seconds, isLost: false,
                digest: [1])
        }
        let head = RenditionHead(
            description: RenditionDescription(id: video(0)), nextNumber: 9, last: nil, known: known)
        let progress = RenditionProgress(resuming: head, choice: .auto)
        #expect(progress.run == 2)
        #expect(progress.follower.highest == 41)
        #expect(progress.placing.end == at(612))
    }

    @Test("What an earlier process had listed last and not stored is fetched at its time")
    func listedLast() {
        let known = (0..<5).map {
            KnownSegment(
                run: 7, number: $0, start: at(Double($0) * 6.5), duration: 6 * seconds, isLost: false,
                digest: $0 < 3 ? [1] : [], isListed: $0 > 2)
        }
        let head = RenditionHead(
            description: RenditionDescription(id: video(0)), nextNumber: 3, last: nil, known: known)
        var progress = RenditionProgress(resuming: head, choice: .auto)
        let segments = take(&progress, list(0...5), from: 5, arrival: 40)
        #expect(segments.map(\.identity.number) == [3, 4, 5])
        #expect(starts(segments).prefix(2) == [19.5, 26])
    }

    @Test("New entries get identity, time and the end of their availability")
    func identity() throws {
        var progress = progress()
        let segments = take(&progress, list(10...12, date: { Double($0) * 6 }), from: 1, arrival: 80)
        #expect(segments.map(\.identity.number) == [11, 12])
        #expect(segments.allSatisfy { $0.identity.run == 7 && $0.identity.rendition == video(0) })
        #expect(starts(segments) == [66, 72])
        #expect(try #require(segments.first).availableUntil >= moment(80 + 6 + 18))
        #expect(segments.allSatisfy { $0.boundary == nil && $0.hole == nil })
    }

    @Test("A date at the head of the list holds for all that follows without one, also for what is new later")
    func dateAtHead() {
        var progress = progress()
        var first = list(10...12)
        first.segments[0].programDateTimeMicroseconds = at(1000).microseconds
        #expect(starts(take(&progress, first, arrival: 1020)) == [1000, 1006, 1012])
        var second = list(11...13)
        second.segments[0].programDateTimeMicroseconds = at(1006).microseconds
        #expect(starts(take(&progress, second, from: 2, arrival: 1025)) == [1018])
        #expect(progress.placing.clock == .source)
    }

    @Test("Entries before the first date take theirs from it")
    func dateAtEnd() {
        var progress = progress()
        var one = list(10...12)
        one.segments[2].programDateTimeMicroseconds = at(1012).microseconds
        #expect(starts(take(&progress, one, arrival: 1020)) == [1000, 1006, 1012])
    }

    @Test(
        "A duration of nothing or of nonsense becomes the target duration and is marked",
        arguments: [0, -1, Int64.max])
    func corrected(duration: Int64) {
        var progress = progress()
        var one = list(10...12)
        one.segments[1].durationMicroseconds = duration
        let segments = take(&progress, one, arrival: 118)
        #expect(segments.map(\.duration) == [6, 6, 6].map { $0 * seconds })
        #expect(segments.map(\.flags) == [[], .correctedDuration, []])
    }

    @Test("Behind EXT-X-DISCONTINUITY the same media may play once more, but not at the same date")
    func repeatedTags() {
        for (date, isRepeated) in [(1000.0, true), (1006, false), (nil, false)] {
            var playlist = list(0...1, name: { _ in "slate.ts" })
            playlist.segments[1].discontinuityCount = 1
            playlist.segments[0].programDateTimeMicroseconds = date.map { _ in at(1000).microseconds }
            playlist.segments[1].programDateTimeMicroseconds = date.map { at($0).microseconds }
            #expect(PlaylistFollower.isRepeated(playlist, 1) == isRepeated)
        }
    }

    @Test("An entry that repeats the one before it is dropped; its number stays used")
    func repeated() {
        var progress = progress()
        var one = list(10...13, name: { $0 == 12 ? "seg11.ts" : "seg\($0).ts" })
        one.isIndependentSegments = true
        let segments = take(&progress, one, arrival: 118)
        #expect(segments.map(\.identity.number) == [10, 11, 13])
        #expect(starts(segments) == [100, 106, 112])
        #expect(segments.allSatisfy { $0.flags.contains(.independent) })
    }

    @Test(
        "Repeated names that are not the same segment stay: other ranges, later dates, gaps, after a discontinuity"
    )
    func notRepeated() {
        for change in 0..<4 {
            var progress = progress()
            var one = list(10...12, name: { _ in "same.ts" }, date: change == 1 ? { Double($0) * 6 } : nil)
            for index in one.segments.indices {
                if change == 0 {
                    one.segments[index].byteRange = ByteRange(length: 100, offset: UInt64(index) * 100)
                }
                if change == 2 { one.segments[index].isGap = true }
                if change == 3 { one.segments[index].discontinuityCount = 1 }
            }
            #expect(take(&progress, one, arrival: 118).count == 3)
        }
    }

    @Test(
        "A discontinuity is a boundary and a new domain; a given cause goes before it; a step is a hole with a reason"
    )
    func boundaries() {
        var progress = progress()
        var one = list(10...13, date: { Double($0) * 6 + ($0 == 13 ? 100 : 0) })
        one.segments[1].discontinuityCount = 2
        let first = take(&progress, list(7...9, date: { Double($0) * 6 }), arrival: 60)
        let segments = take(&progress, one, cause: .restart, arrival: 184)
        #expect(first.map(\.boundary) == [nil, nil, nil])
        #expect(segments.map(\.boundary) == [.restart, .listed, nil, .hole])
        #expect(segments.map(\.hole) == [nil, nil, nil, .sourceJump])
        #expect(segments.map(\.discontinuityCount) == [1, 2, 2, 3])
    }

    @Test(
        "Another source's entries that are recorded already are passed over; the boundary comes with the first new one"
    )
    func anotherSource() {
        var progress = progress(end: 118)
        let old = list(5000...5002, date: { 100 + Double($0 - 5000) * 6 })
        #expect(take(&progress, old, opensHole: true, cause: .source, arrival: 119).isEmpty)
        let new = list(5000...5004, date: { 100 + Double($0 - 5000) * 6 })
        let segments = take(&progress, new, from: 3, arrival: 131)
        #expect(starts(segments) == [118, 124])
        #expect(segments.map(\.boundary) == [.source, nil])
        let more = take(&progress, list(5005...5005, date: { _ in 130 }), arrival: 137)
        #expect(more.map(\.boundary) == [nil])
    }

    @Test(
        "Dates that have gone on as the numbers have are believed where a playlist stood still since, not ahead",
        arguments: [(1700.0, true), (1030, false)])
    func countedDates(arrival: Double, isBelieved: Bool) {
        var progress = progress()
        let first = list(0...3, date: { 1000 + Double($0) * 6 })
        _ = take(&progress, first, opensHole: true, arrival: 1024)
        progress.follower.take(first, now: moment(1024))
        let later = list(60...63, date: { 1002 + Double($0) * 6 })
        let segments = take(&progress, later, opensHole: true, cause: .hole, arrival: arrival)
        #expect((starts(segments) == [1362, 1368, 1374, 1380]) == isBelieved)
        #expect((progress.placing.dateRejection == nil) == isBelieved)
    }

    @Test("What the segments of a source showed of its EXTINF counts again when it is back in use")
    func measuredBefore() throws {
        var progress = progress()
        let segments = take(&progress, list(0...4), opensHole: true, arrival: 30)
        for segment in segments { progress.measured(segment, 3 * seconds) }
        #expect(progress.measured.duration(stated: 6 * seconds) == 3 * seconds)
        _ = progress.leaveRun(of: "http://one.test/", for: "http://two.test/")
        #expect(progress.measured.duration(stated: 6 * seconds) == 6 * seconds)
        _ = progress.leaveRun(of: "http://two.test/", for: "http://one.test/")
        #expect(progress.measured.duration(stated: 6 * seconds) == 3 * seconds)
    }

    @Test("A restart of the same source is all new")
    func restart() {
        var progress = progress(end: 118)
        let segments = take(
            &progress, list(0...1, date: { 100 + Double($0) * 6 }), opensHole: true, cause: .restart,
            arrival: 119)
        #expect(starts(segments) == [118, 124])
    }

    @Test(
        "Of a restart whose dates go on by the same clock, what is recorded already is passed over",
        arguments: [(100, [5003, 5004]), (60, [5000, 5001, 5002, 5003, 5004])] as [(Double, [Int64])])
    func redundantPackager(firstDate: Double, expected: [Int64]) {
        var progress = progress()
        _ = take(&progress, list(0...2, date: { 100 + Double($0) * 6 }), arrival: 120)
        progress.placing.startRun()
        let other = list(5000...5004, date: { firstDate + Double($0 - 5000) * 6 })
        let segments = take(&progress, other, opensHole: true, cause: .restart, arrival: 132)
        #expect(segments.map(\.identity.number) == expected)
        #expect(starts(segments).first == 118)
        #expect(segments.first?.boundary == .restart)
    }

    @Test(
        "In coming back to a source that numbers each playlist from the beginning, what is held already is passed over",
        arguments: [true, false])
    func comingBack(isDated: Bool) {
        let known = (0...4).map { place in
            KnownSegment(
                run: 2, number: 100 + Int64(place), start: at(100 + Double(place) * 6),
                duration: 6 * seconds,
                isLost: false, digest: [1])
        }
        let head = RenditionHead(
            description: RenditionDescription(id: video(0)), nextNumber: 9, last: nil, known: known)
        var progress = RenditionProgress(resuming: head, choice: .auto)
        let date = { (number: Int) in 106 + Double(number) * 6 }
        let segments = take(
            &progress, list(0...4, date: isDated ? date : nil), opensHole: true, cause: .restart,
            arrival: 137)
        #expect(segments.map(\.identity.number) == [4])
        // By arrival it would begin a second later, which is less than arrival tells.
        #expect(starts(segments) == [130])
        #expect(segments.map(\.boundary) == [.restart])
    }

    @Test(
        "Without dates a new run is a hole where arrival shows more than it wavers, and missing numbers always",
        arguments: [
            (.restart, 0.6, 118.0), (.restart, 1.4, 118), (.restart, 1.6, 119.6), (.restart, -3, 118),
            (.source, 0.6, 118), (.hole, 0.6, 118.6),
        ] as [(DiscontinuityCause, Double, Double)])
    func minimumHole(cause: DiscontinuityCause, later: Double, start: Double) {
        var progress = progress()
        _ = take(&progress, list(10...12), arrival: 118)
        if cause != .hole { progress.placing.startRun() }
        let number = cause == .hole ? 14 : 0
        let segments = take(
            &progress, list(number...number), opensHole: true, cause: cause, arrival: 124 + later)
        #expect(starts(segments) == [start])
        #expect(segments.map(\.hole) == [start > 118 ? .sourceJump : nil])
        #expect(segments.map(\.boundary) == [cause])
    }

    @Test("What an earlier process placed and is still listed shows that EXTINF of what follows is wrong")
    func measuredByHeld() {
        let known = (0...4).map { place in
            KnownSegment(
                run: 2, number: 100 + Int64(place), start: at(1000 + Double(place) * 6),
                duration: 6 * seconds, isLost: false, digest: [1])
        }
        let head = RenditionHead(
            description: RenditionDescription(id: video(0)), nextNumber: 9, last: nil, known: known)
        var progress = RenditionProgress(resuming: head, choice: .auto)
        var playlist = list(102...110)
        for index in playlist.segments.indices { playlist.segments[index].durationMicroseconds *= 2 }
        let segments = take(&progress, playlist, from: 3, arrival: 1067)
        #expect(starts(segments) == [1030, 1036, 1042, 1048, 1054, 1060])
    }

    @Test("Resumed from a head: the newest run, its highest number, its digests, and the later end")
    func resumed() {
        let identities: [(run: Int64, number: Int64, start: Double)] = [
            (1, 90, 40), (2, 3, 100), (2, 4, 106),
        ]
        let known = identities.map { identity in
            KnownSegment(
                run: identity.run, number: identity.number, start: at(identity.start),
                duration: 6 * seconds,
                isLost: identity.number == 4, digest: [UInt8(identity.number)])
        }
        let head = RenditionHead(
            description: RenditionDescription(id: video(0)), nextNumber: 9,
            last: LastSegment(
                end: at(106), discontinuitySequence: 2, format: SegmentFormat(container: .transportStream)),
            known: known)
        let progress = RenditionProgress(resuming: head, choice: .auto)
        #expect(progress.run == 2)
        #expect(progress.follower.highest == 4)
        #expect(progress.digests == [3: [3], 4: [4]])
        #expect(progress.placing.end == at(112))
    }

    @Test(
        "Stored segments are counted, and the newest digests of the run are kept for when numbers are in doubt"
    )
    func counting() {
        var progress = progress()
        for number in 0..<5000 {
            var fact = PublisherStage.fact(video(0), Double(number))
            fact.identity = SegmentIdentity(rendition: video(0), run: 7, number: Int64(number))
            fact.digest = [1, 2]
            progress.count(fact)
        }
        var other = PublisherStage.fact(video(0), 0)
        other.identity.run = 6
        progress.count(other)
        #expect(progress.status.stored == 5001)
        #expect(progress.digests[4999] == [1, 2])
        #expect(progress.digests.count <= 2 * Limits.recentEntries)
    }

    @Test("What was on its way when recording ended and is listed still is listed again, in its place, once")
    func missed() {
        let times: [(number: Int64, start: Double)] = [(10, 100), (12, 112), (14, 124)]
        let known = times.map { time in
            KnownSegment(
                run: 2, number: time.number, start: at(time.start), duration: 6 * seconds, isLost: false,
                digest: [1])
        }
        let head = RenditionHead(
            description: RenditionDescription(id: video(0)), nextNumber: 9, last: nil, known: known)
        var progress = RenditionProgress(resuming: head, choice: .auto)
        let segments = take(&progress, list(8...15, date: { 40 + Double($0) * 6 }), from: 7, arrival: 140)
        #expect(segments.map(\.identity.number) == [11, 13, 15])
        #expect(starts(segments) == [106, 118, 130])
        #expect(
            segments.allSatisfy { $0.duration == 6 * seconds && $0.boundary == nil && $0.identity.run == 2 })
        let next = take(&progress, list(10...16, date: { 40 + Double($0) * 6 }), from: 6, arrival: 146)
        #expect(next.map(\.identity.number) == [16])
    }

    @Test("A very long list keeps a failing segment no longer than the module's bound")
    func availability() throws {
        var progress = progress()
        let segments = take(&progress, list(0...5000), from: 5000, arrival: 1000)
        #expect(try #require(segments.first).availableUntil == moment(1000 + 6 + 600 + 6))
    }

    @Test(
        "In coming back to a source that begins again, nothing is passed over if its first segment is none that is held",
        // The last one is another encoder of the same programme, come back to at once.
        arguments: [
            (130.0, 135.0, 0...1, 2...2), (5000, 135, 0...1, 2...2), (112, 135, 0...1, 1...1),
            (5000, 133, 0...5, 1...3),
        ])
    func comingBackToOthers(
        timestamp: Double, time: Double, listed: ClosedRange<Int>, count: ClosedRange<Int>
    ) {
        let known = (0...4).map { place in
            let start = 100 + Double(place) * 6
            var segment = KnownSegment(
                run: 2, number: 100 + Int64(place), start: at(start), duration: 6 * seconds, isLost: false,
                digest: [1])
            segment.firstTimestamp = Int64(start) * 90_000
            return segment
        }
        let head = RenditionHead(
            description: RenditionDescription(id: video(0)), nextNumber: 9, last: nil, known: known)
        var progress = RenditionProgress(resuming: head, choice: .auto)
        #expect(progress.probeIndexAfterRenumbering(list(listed), at: arrived(time)) == 0)
        let probed = ProbedSegment(
            digest: [2], firstTimestamp: Int64(timestamp) * 90_000, measuredDuration: 6 * seconds)
        progress.joined(probed, in: list(listed), at: arrived(time))
        _ = progress.startRun()
        progress.run = 8
        let taken = take(&progress, list(listed), opensHole: true, cause: .restart, arrival: time)
        #expect(count.contains(taken.count))
    }
}
