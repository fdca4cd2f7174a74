import Catalogue
import HLS
import HTTP
import Journal
import Testing
import Timeline

@testable import Recorder

@Suite("A step of the source's dates without a missing number")
struct DateStepsTests {
    /// A source that numbers its six-second segments without holes and lists four; from one on its dates, and
    /// its media, are later by some seconds.
    private struct Source {
        static let step = 30
        var dates = 6.0
        var media = 6.0
        /// Segments are stored so many seconds after they were asked for.
        var delay = 0.2
        /// What is read of segments that are not kept.
        var isReadable = true
        /// Playlists do not come in this time.
        var silent = 0.0..<0
        /// EXTINF of each segment.
        var said = 6.0
        /// Playlists have EXT-X-DISCONTINUITY where the dates step.
        var isTagged = false
        /// From there on they have it before every second segment, and its date is so much later.
        var wavering = 0.0
        private var driver: StateDriver
        private var coming: [(time: Double, request: SegmentRequest)] = []
        private(set) var facts: [SegmentFact] = []
        private(set) var losses: [Loss] = []
        private(set) var probed: [Int64] = []
        /// When each segment was first asked for.
        private(set) var asked: [Int64: Double] = [:]

        init() throws {
            driver = try StateDriver([SourceSettings(url: "http://one.test/live.m3u8")])
        }

        func date(_ number: Int) -> Double {
            let later = (number >= Self.step ? dates : 0) + (isWavering(number) ? wavering : 0)
            return 0.25 + Double(number) * 6 + later
        }

        private func isWavering(_ number: Int) -> Bool {
            wavering > 0 && number >= Self.step && number.isMultiple(of: 2)
        }

        private func timestamp(_ number: Int64) -> Double {
            isWavering(Int(number)) ? 9000 : 1000 + Double(number) * 6 + (number >= Self.step ? media : 0)
        }

        private func text(at time: Double) -> String {
            let newest = (0..<1000).last { date($0) + 6 <= time } ?? 0
            let entries = (max(0, newest - 3)...newest).map { number in
                let isTagged = isTagged && number == Self.step || isWavering(number)
                let tag = isTagged ? "#EXT-X-DISCONTINUITY\n" : ""
                let date = at(date(number)).rfc3339
                return "\(tag)#EXT-X-PROGRAM-DATE-TIME:\(date)\n#EXTINF:\(said),\n\(number).ts\n"
            }
            return "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(max(0, newest - 3))\n"
                + entries.joined()
        }

        /// Records from the first segments to `end` seconds.
        mutating func record(until end: Double) throws {
            try take(driver.begin(at: 20), at: 20)
            for time in stride(from: 20.1, to: end, by: 0.1) {
                while let next = coming.first, next.time <= time {
                    coming.removeFirst()
                    let stored = PartialSegmentTests.stored(
                        next.request.segment, measured: 6_000_000,
                        timestamp: timestamp(next.request.segment.identity.number))
                    try take(driver.send(.segmentStored(stored, next.request), at: time), at: time)
                }
                try take(driver.send(.clockAdvanced, at: time), at: time)
            }
        }

        private mutating func take(_ actions: [RecordingAction], at time: Double) throws {
            for action in actions {
                switch action {
                case .fetchPlaylist(let request) where silent.contains(time):
                    let error = SourceError.unreachable("no answer")
                    try take(driver.send(.playlistFailed(error, request), at: time), at: time)
                case .fetchPlaylist(let request):
                    try take(driver.answer(request, text(at: time), at: time), at: time)
                case .fetchSegment(let request):
                    asked[request.segment.identity.number] = time
                    coming.append((time + delay, request))
                case .probeSegment(let request):
                    probed.append(request.segment.identity.number)
                    let ticks = Int64(timestamp(request.segment.identity.number) * 90_000)
                    let event: RecordingEvent =
                        isReadable
                        ? .segmentProbed(ProbedSegment(digest: [1], firstTimestamp: ticks), request)
                        : .probeFailed(request)
                    try take(driver.send(event, at: time), at: time)
                case .readJournal:
                    try take(driver.send(.journalRead(.success([])), at: time), at: time)
                case .commit(let batch):
                    facts += batch.segments.map(\.fact)
                    losses += batch.losses
                    try take(driver.send(.catalogueAnswered(.success(true)), at: time), at: time)
                default: break
                }
            }
        }

        var starts: [Double] { facts.map { PublisherStage.seconds($0.start) } }
        var numbers: [Int64] { facts.map(\.identity.number) }
    }

    @Test(
        "that the timestamps confirm is a hole with a reason: media are missing",
        arguments: [(6.0, 0.2), (2, 0.2), (12, 0.2), (6, 5)])
    func missing(length: Double, delay: Double) throws {
        var source = try Source()
        (source.dates, source.media, source.delay) = (length, length, delay)
        try source.record(until: 400)
        #expect(source.numbers == source.numbers.indices.map(Int64.init) && source.numbers.count > 55)
        #expect(source.starts == source.numbers.map { source.date(Int($0)) })
        #expect(source.losses.map(\.reason) == [.sourceGap])
        let window = try #require(source.losses.first?.window)
        #expect(window.microseconds == Int64(length * 1_000_000))
        #expect(window.end == at(source.date(Source.step)))
        #expect(source.probed == [Int64(Source.step)])
    }

    @Test(
        "at EXT-X-DISCONTINUITY is a hole, unless timestamps simply go on",
        arguments: [(6.0, true), (40_000, true), (0, false)])
    func discontinuity(media: Double, isHole: Bool) throws {
        var source = try Source()
        (source.media, source.isTagged) = (media, true)
        try source.record(until: 400)
        #expect(source.numbers == source.numbers.indices.map(Int64.init) && source.numbers.count > 55)
        #expect(source.losses.map(\.reason) == (isHole ? [.sourceGap] : []))
        if isHole { #expect(source.starts == source.numbers.map { source.date(Int($0)) }) }
        #expect(source.probed == [Int64(Source.step)])
    }

    @Test("again and again at EXT-X-DISCONTINUITY tells nothing but once")
    func waveringDiscontinuities() throws {
        var source = try Source()
        (source.dates, source.media, source.wavering) = (0, 0, 2)
        try source.record(until: 400)
        #expect(source.losses.count == 1 && source.probed == [Int64(Source.step)])
        #expect(source.numbers == source.numbers.indices.map(Int64.init) && source.numbers.count > 55)
    }

    @Test("right after a start is judged by what an earlier process held")
    func afterStart() {
        let playlist = list(0...5, date: { Double($0) * 6 + ($0 > 4 ? 5 : 0) })
        var steps = DateSteps()
        func held(_ number: Int64) -> DateSteps.Predecessor {
            DateSteps.Predecessor(
                number: number, duration: 6 * seconds, timestamp: 900_000, isOfEarlierProcess: true)
        }
        let other = steps.find(in: playlist, from: 5, stored: [:], after: held(3)) { $0 }
        #expect(other == .later(index: 5))
        #expect(steps.find(in: playlist, from: 5, stored: [:], after: held(4)) { $0 } == .probes(index: 5))
        steps.judge(900_000 + 11 * 90_000)
        #expect(steps.holes == [5])
    }

    /// What was recorded ends at 1060; the source counts on at once, whatever was missing there.
    private func firstListed(
        from date: Double, every distance: Double = 6, said: Int64 = 6, timestamp: Double, zone: Double = 0,
        isTagged: Bool = false,
    ) -> (probes: Bool, segments: [ListedSegment]) {
        let known = (0..<10).map { place in
            var segment = KnownSegment(
                run: 7, number: Int64(place), start: at(1000 + Double(place) * 6), duration: 6 * seconds,
                isLost: false, digest: [UInt8(place)])
            segment.firstTimestamp = Int64(50 + place * 6) * 90_000
            return segment
        }
        var progress = RenditionProgress(
            resuming: RenditionHead(
                description: RenditionDescription(id: video(0)), nextNumber: 10, known: known),
            choice: .auto)
        var playlist = list(10...12, date: { date + zone + Double($0 - 10) * distance })
        playlist.segments[0].discontinuityCount = isTagged ? 1 : 0
        for index in playlist.segments.indices {
            playlist.segments[index].durationMicroseconds = said * seconds
        }
        let arrival = arrived(date + 19)
        let finding = progress.findStep(in: playlist, from: 0, at: arrival, shared: [:])
        if finding == .probes(index: 0) {
            _ = progress.judgeStep(before: 10, timestamp: Int64(timestamp * 90_000))
            #expect(progress.findStep(in: playlist, from: 0, at: arrival, shared: [:]) == .none)
        }
        let segments = progress.list(
            playlist, from: 0, opensHole: false, cause: nil, hole: .recorderDown, arrival: arrival,
            shared: [:]
        )
        return (finding == .probes(index: 0), segments)
    }

    @Test(
        "in front of the first segment that is listed after a start is judged, too",
        arguments: [0, 7200.0])
    func firstAfterStart(zone: Double) {
        // Media of four seconds are missing, then the clock of the encoder was set, then nothing happened.
        let missing = firstListed(from: 1064, timestamp: 114, zone: zone)
        #expect(missing.probes && missing.segments.map(\.placed.start) == [at(1064), at(1070), at(1076)])
        #expect(missing.segments.map(\.hole) == [.sourceGap, nil, nil])
        let set = firstListed(from: 1064, timestamp: 110, zone: zone)
        #expect(set.probes && set.segments.first?.placed.start == at(1060))
        #expect(set.segments.map(\.hole) == [nil, nil, nil])
        let tagged = firstListed(from: 1064, timestamp: 9000, zone: zone, isTagged: true)
        #expect(!tagged.probes && tagged.segments.first?.placed.start == at(1060))
        let none = firstListed(from: 1060.3, timestamp: 110, zone: zone)
        #expect(!none.probes && none.segments.first?.placed.start == at(1060))
        // EXTINF says too little; then dates are of no use.
        let short = firstListed(from: 1064, said: 3, timestamp: 114, zone: zone)
        #expect(short.probes && short.segments.first?.placed.start == at(1064))
        #expect(!firstListed(from: 1064, every: 0, timestamp: 114, zone: zone).probes)
    }

    @Test("in front of a playlist is not waited for when no timestamp of the segment before is known")
    func unknownBefore() {
        let playlist = list(10...14, date: { Double($0) * 6 + ($0 > 12 ? 9 : 4) })
        var steps = DateSteps()
        let before = DateSteps.Predecessor(number: 9, date: at(54), duration: 6 * seconds)
        #expect(steps.find(in: playlist, from: 0, stored: [:], after: before) { $0 } == .later(index: 3))
    }

    @Test("to a timeline that was off is none between dates: the steps after it are looked at")
    func offTimeLine() {
        let playlist = list(10...14, date: { Double($0) * 6 + ($0 > 12 ? 9 : 4) })
        var steps = DateSteps()
        func find(isOfEarlierProcess: Bool) -> DateSteps.Finding {
            steps.find(
                in: playlist, from: 0, stored: [:],
                after: DateSteps.Predecessor(
                    number: 9, date: at(54), duration: 6 * seconds, timestamp: 900_000,
                    isOfEarlierProcess: isOfEarlierProcess)
            ) { $0 }
        }
        for isOfEarlierProcess in [true, false] {
            steps = DateSteps()
            #expect(find(isOfEarlierProcess: isOfEarlierProcess) == .probes(index: 0))
            steps.judge(900_000 + 6 * 90_000)
            #expect(steps.holes.isEmpty)
            let isLooked = find(isOfEarlierProcess: isOfEarlierProcess) == .later(index: 3)
            #expect(isLooked == isOfEarlierProcess)
        }
    }

    @Test(
        "in front of the first segment of a playlist that no other one overlapped is judged, too",
        arguments: [206, 208, 210, 212])
    func firstListedAgain(end: Double) throws {
        var source = try Source()
        (source.dates, source.media) = (5, 5)
        // Segment 29 was listed last; playlists from 209.25 to 215.25 seconds begin with segment 30.
        source.silent = 183..<end
        try source.record(until: 300)
        #expect(source.probed == [Int64(Source.step)])
        #expect(source.losses.map(\.reason) == [.sourceGap])
        #expect(source.numbers.starts(with: 0...30) && source.numbers.count > 40)
        #expect(source.starts == source.numbers.map { source.date(Int($0)) })
    }

    @Test("with timestamps that go on is a step of the encoder's clock, which is no hole")
    func clockStep() throws {
        var source = try Source()
        source.media = 0
        try source.record(until: 400)
        #expect(source.losses.isEmpty && source.probed == [Int64(Source.step)])
        #expect(source.numbers == source.numbers.indices.map(Int64.init) && source.numbers.count > 55)
        #expect(zip(source.facts, source.facts.dropFirst()).allSatisfy { $0.end == $1.start })
    }

    @Test("that waits for its predecessor leaves what is listed before it where its dates are")
    func behindAnOutage() throws {
        var source = try Source()
        source.silent = 120..<199
        try source.record(until: 300)
        #expect(source.numbers.contains(28) && source.numbers.last ?? 0 > 40)
        #expect(source.starts == source.numbers.map { source.date(Int($0)) })
    }

    @Test("is none where the dates of all that is listed show that EXTINF says too little")
    func shortByDates() {
        func find(_ numbers: ClosedRange<Int>, date: @escaping (Int) -> Double) -> DateSteps.Finding {
            var playlist = list(numbers, date: date)
            for index in playlist.segments.indices {
                playlist.segments[index].durationMicroseconds = 3 * seconds
            }
            var steps = DateSteps()
            return steps.find(in: playlist, from: 2, stored: [:]) { $0 }
        }
        #expect(find(0...2) { Double($0) * 6 } == .none)
        #expect(find(0...5) { Double($0) * 6 + ($0 > 4 ? 5 : 0) } == .later(index: 5))
    }

    @Test("is none where EXTINF is known to say too little: all that is new is taken at once")
    func shortDurations() throws {
        var source = try Source()
        (source.dates, source.media, source.said) = (0, 0, 3)
        source.silent = 120..<199
        try source.record(until: 300)
        let times = (29...31).map { source.asked[$0] }
        #expect(times == Array(repeating: times[0], count: 3) && times[0] != nil)
    }

    @Test("in front of a segment that cannot be read does not keep the rest from being recorded")
    func unreadable() throws {
        var source = try Source()
        source.isReadable = false
        try source.record(until: 400)
        #expect(source.losses.isEmpty)
        #expect(source.numbers == source.numbers.indices.map(Int64.init) && source.numbers.count > 55)
    }

    @Test(
        "is not looked at when it is small, or long enough to be a hole by the dates alone",
        arguments: [0.9, 14])
    func others(length: Double) throws {
        var source = try Source()
        (source.dates, source.media) = (length, length)
        try source.record(until: 400)
        #expect(source.probed.isEmpty)
        #expect(source.losses.count == (length > 12 ? 1 : 0))
    }
}
