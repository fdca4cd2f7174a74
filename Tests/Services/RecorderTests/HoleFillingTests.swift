import Catalogue
import HLS
import Journal
import Monitoring
import SegmentStore
import Testing
import Timeline

@testable import Recorder

private let primary = "http://one.test/live/index.m3u8"
private let backup = "http://two.test/live/index.m3u8"
private let third = "http://three.test/live/index.m3u8"

/// What one source has lost comes from another one.
@Suite("Holes of a channel of two sources")
struct HoleFillingTests {
    private static func source(
        _ url: String, _ renditions: [RenditionID], faults: [SimulatedSource.Fault] = [],
    ) -> SimulatedSource {
        SimulatedSource(url: url, renditions: renditions, faults: faults)
    }

    /// What is held of a rendition, by start, once.
    private static func held(_ channel: SimulatedChannel, _ id: RenditionID) -> [SegmentFact] {
        let held = channel.segments.map(\.fact).filter { $0.identity.rendition == id }
        #expect(Set(held.map(\.start)).count == held.count)
        #expect(channel.trimmed.count == channel.journal.count)
        return held.sorted { $0.start < $1.start }
    }

    @Test("What one source refuses comes from another one that lists it, once and unpublished")
    func refused() {
        let all = [video(0), video(1), audio]
        var channel = SimulatedChannel([
            Self.source(primary, all, faults: [.missing(video(0), 40...44)]), Self.source(backup, all),
        ])
        channel.run(until: 600)
        #expect(channel.status?.sourcePriority == 0)
        channel.stop()
        let held = Self.held(channel, video(0))
        #expect(zip(held, held.dropFirst()).allSatisfy { $0.end == $1.start })
        let repairs = channel.segments.filter { $0.fact.flags.contains(.late) }
        #expect(repairs.map(\.fact.identity.number) == [40, 41, 42, 43, 44])
        #expect(repairs.allSatisfy { $0.number == nil && $0.fact.flags.contains(.spliced) })
        // The run in use stays the newest one.
        let newest = channel.published(video(0)).map(\.fact.identity.run).max() ?? 0
        #expect(repairs.allSatisfy { $0.fact.identity.run < newest })
        #expect(channel.published(video(0)).count == channel.published(video(1)).count - 5)
        #expect(channel.messages.contains("Holes are filled from another source"))
    }

    @Test("A hole between two sources is filled from the first one when it is back and still lists it")
    func betweenSources() {
        var (first, second) = (
            Self.source(primary, [video(0)], faults: [.unreachable(200...260)]),
            Self.source(backup, [video(0)])
        )
        (first.listed, second.listed) = (20, 1)
        var channel = SimulatedChannel([first, second])
        channel.run(until: 250)
        #expect(channel.losses.contains { $0.window.microseconds > 6_000_000 })
        channel.run(until: 900)
        channel.stop()
        let held = Self.held(channel, video(0))
        #expect(zip(held, held.dropFirst()).allSatisfy { $1.start - $0.end < 10_000 })
    }

    @Test("A channel of one source asks for nothing more")
    func alone() {
        var channel = SimulatedChannel([
            Self.source(primary, [video(0)], faults: [.missing(video(0), 40...44)])
        ])
        channel.run(until: 600)
        channel.stop()
        #expect(Self.held(channel, video(0)).allSatisfy { !$0.flags.contains(.late) })
        #expect(channel.messages.allSatisfy { $0 != "Holes are filled from another source" })
    }

    @Test(
        "Another source is asked for what one refuses, not for what the disk or a missing key keeps waiting",
        arguments: [(GapReason.segmentMissing, true), (.diskFull, false), (.keyMissing, false)])
    func notRefused(reason: GapReason, isSought: Bool) throws {
        let urls = ["http://one.test/live.m3u8", "http://two.test/live.m3u8"]
        var driver = try StateDriver(urls.enumerated().map { SourceSettings(url: $1, priority: $0) })
        var actions = driver.begin(at: 0)
        var repairs = 0
        for time in stride(from: 1.0, to: 24, by: 0.5) {
            while let action = actions.popLast() {
                switch action {
                case .fetchPlaylist(let request):
                    if case .repair = request.purpose { repairs += 1 }
                    let newest = Int(time / 6) + 10
                    let text =
                        "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(newest - 1)\n"
                        + "#EXTINF:6,\n\(newest - 1).ts\n#EXTINF:6,\n\(newest).ts\n"
                    actions += try driver.answer(request, text, at: time)
                case .fetchSegment(let request):
                    actions += driver.send(.segmentFailed(FetchFailure(reason, "no"), request), at: time)
                case .commit: actions += driver.send(.catalogueAnswered(.success(true)), at: time)
                default: break
                }
            }
            actions = driver.send(.clockAdvanced, at: time + 0.1)
        }
        #expect((repairs > 0) == isSought)
    }

    @Test("What a killed process had filled goes to the archive, and says nothing of the source's numbers")
    func restart() {
        var fact = PublisherStage.fact(video(0), 12)
        fact.flags = .late
        let line = JournalLineRead(position: JournalPosition(file: 1, line: 0), entry: .segment(fact))
        let lease = Lease(fence: 1, publishedHead: PublishedHead.unused, databaseDate: at(0))
        var publication = Publication(channel: 1, lease: lease)
        publication.open(video(0), now: moment(0))
        publication.resumed(waiting: [])
        _ = publication.read([line], now: moment(0))
        let batch = publication.nextBatch(now: moment(0))?.batch
        #expect(batch?.segments.map(\.number) == [nil])
        let done = publication.entered()
        #expect(done == [line.position])
        var progress = ChannelProgress(choice: .auto)
        _ = progress.open([RenditionDescription(id: video(0))])
        progress.resume(.segment(fact))
        #expect(progress.renditions[video(0)]?.run == nil)
        #expect(progress.renditions[video(0)]?.placing.end == nil)
        // Its time is not fetched once more from the source in use.
        #expect(progress.renditions[video(0)]?.isFilled(fact.placed.window) == true)
    }

    @Test(
        "A restart goes on with the source that lacked a segment, not with the one that has filled its time",
        arguments: [[6], [3, 3]])
    func restartAtHole(lengths: [Double]) {
        var known: [KnownSegment] = []
        var start = 72.0
        for (number, length) in lengths.enumerated() {
            known.append(Self.known(1, Int64(number) + 5, start, lasting: length))
            start += length
        }
        known += [Self.known(2, 10, 60), Self.known(2, 11, 66), Self.known(2, 12, 72, isLost: true)]
        let head = RenditionHead(
            description: RenditionDescription(id: video(0)), nextNumber: 3, known: known)
        let progress = RenditionProgress(resuming: head, choice: .auto)
        #expect(progress.run == 2 && progress.follower.highest == 12)
        #expect(progress.placing.end == at(78))
        #expect(progress.isFilled(TimeWindow(begin: at(72), end: at(78))))
    }

    private static func known(
        _ run: Int64, _ number: Int64, _ start: Double, lasting: Double = 6, isLost: Bool = false,
    ) -> KnownSegment {
        KnownSegment(
            run: run, number: number, start: at(start), duration: Int64(lasting * 1_000_000), isLost: isLost,
            digest: isLost ? [] : [1], isGap: isLost)
    }

    @Test("So does a restart without the catalogue, for which the journal does not tell what was lost")
    func restartWithoutCatalogue() throws {
        let facts = [(2, 10, 60.0), (2, 11, 66), (1, 5, 72)].map { run, number, start in
            var fact = PublisherStage.fact(video(0), start)
            fact.identity = SegmentIdentity(rendition: video(0), run: Int64(run), number: Int64(number))
            if run == 1 { fact.flags = .late }
            return fact
        }
        let settings = ChannelSettings(
            id: try #require(ChannelID("news")), title: "News", sources: [SourceSettings(url: primary)],
            retentionSeconds: nil)
        let point = ResumePoint(
            row: 1, settings: settings, version: 1, fence: 1, end: at(0), targetSeconds: 6,
            renditions: [RenditionDescription(id: video(0))], sourceRun: nil)
        let heads = point.heads(facts.map { .segment($0) })
        let progress = RenditionProgress(resuming: try #require(heads.first), choice: .auto)
        #expect(progress.run == 2 && progress.follower.highest == 11)
        #expect(progress.placing.end == at(72))
        #expect(progress.isFilled(TimeWindow(begin: at(72), end: at(78))))
        // Where nothing else is known, it goes on behind what came late.
        let late = point.heads([.segment(facts[2])])
        #expect(RenditionProgress(resuming: try #require(late.first), choice: .auto).run == 1)
    }

    /// How the backup is beside a primary whose dates step back by six seconds.
    enum Backup: CaseIterable {
        /// The same encoder: its dates step, too.
        case same
        /// The same media under the dates from before.
        case withoutStep
        /// The same dates, and other bytes: media show nothing.
        case ofOtherMedia

        var faults: [SimulatedSource.Fault] {
            switch self {
            case .same: [.dateStep(at: 100, by: -6)]
            case .withoutStep: []
            case .ofOtherMedia: [.restart(at: 64), .dateStep(at: 100, by: -6)]
            }
        }

        /// What it calls the segment that the primary lacks.
        var missing: String { self == .ofOtherMedia ? "v0-64-30.ts" : "v0-0-40.ts" }
    }

    @Test(
        "Behind a step of the source's dates, another source's media come to where the timeline has theirs",
        arguments: Backup.allCases)
    func steppedDates(backup kind: Backup) {
        var sources = [
            Self.source(
                primary, [video(0)], faults: [.dateStep(at: 100, by: -6), .missing(video(0), 40...40)]),
            Self.source(backup, [video(0)], faults: kind.faults),
        ]
        // Of EXTINF in whole seconds the timeline would follow the dates soon.
        for index in sources.indices { sources[index].segmentDuration = 6.4 }
        var channel = SimulatedChannel(sources)
        channel.run(until: 600)
        channel.stop()
        let held = Self.held(channel, video(0))
        #expect(held.count > 80 && zip(held, held.dropFirst()).allSatisfy { $1.start - $0.end < 200_000 })
        let repairs = held.filter { $0.flags.contains(.late) }
        #expect(repairs.map { String(decoding: $0.digest, as: UTF8.self) } == [kind.missing])
    }

    @Test(
        "What another source has at the dates of a hole does not fill it if its timestamps belong elsewhere",
        arguments: [(0.0, true), (6, false)])
    func wrongDates(later: Double, isFilled: Bool) throws {
        var stage = try TimestampStage([primary, backup], later: [backup: later])
        try stage.run(from: 0.5, until: 60)
        #expect(stage.asked == [isFilled ? "\(backup) 12" : "\(backup) 11"])
        #expect(stage.repaired == (isFilled ? [12] : []))
    }

    @Test("A third source fills the hole then, if its timestamps belong there")
    func thirdSource() throws {
        var stage = try TimestampStage([primary, third, backup], later: [backup: 6])
        try stage.run(from: 0.5, until: 60)
        #expect(stage.asked == ["\(backup) 11", "\(third) 12"])
        #expect(stage.repaired == [12])
    }

    @Test(
        "A file that two sources have brought at a time stays, whichever is told first",
        arguments: [true, false])
    func sameFile(ownFirst: Bool) throws {
        var stage = try TimestampStage([primary, backup])
        stage.first = ownFirst ? primary : backup
        try stage.run(from: 0.5, until: 60)
        #expect(stage.asked == ["\(backup) 12"])
        // The first that is told has found the file that the other one has made.
        #expect(stage.kept.count { $0.digest == [9, 12] } == 1)
        #expect(stage.deleted == [])
    }
}

/// Sources whose segments have timestamps, of which the first one has not number 12.
private struct TimestampStage {
    private var driver: StateDriver
    private var actions: [RecordingAction]
    /// By how many seconds the dates of a source are later.
    var later: [String: Double]
    /// What was asked of other sources than the first.
    private(set) var asked: [String] = []
    /// The numbers of what filled holes.
    private(set) var repaired: [Int64] = []
    /// Where it is set, the first source has number 12 after a while, the other one brings the same bytes at
    /// that time, and those of this source are told first.
    var first: String?
    private var held: SegmentRequest?
    private(set) var kept: [SegmentFact] = []
    private(set) var deleted: [ArchiveKey] = []

    init(
        _ urls: [String], later: [String: Double] = [:]
    ) throws {
        let sources = urls.enumerated().map { SourceSettings(url: $1, priority: $0) }
        driver = try StateDriver(sources)
        actions = driver.begin(at: 0)
        self.later = later
    }

    mutating func run(from begin: Double, until end: Double) throws {
        for time in stride(from: begin, to: end, by: 0.5) {
            while let action = actions.popLast() {
                let next = try answers(to: action, at: time)
                actions += next
            }
            actions = driver.send(.clockAdvanced, at: time + 0.1)
        }
    }

    private mutating func answers(
        to action: RecordingAction, at time: Double,
    ) throws -> [RecordingAction] {
        switch action {
        case .fetchPlaylist(let request):
            return try driver.answer(request, playlist(of: request.use.source.url, at: time), at: time)
        case .probeSegment(let request):
            let digest = try digest(of: request.segment, request.use)
            return driver.send(.segmentProbed(ProbedSegment(digest: digest), request), at: time)
        case .fetchSegment(let request):
            return try segment(request, at: time)
        case .journal(let entries):
            kept += entries.compactMap(\.fact)
            repaired += entries.compactMap(\.fact).filter { $0.flags.contains(.late) }
                .map { Int64($0.digest[1]) }
        case .deleteObject(let key): deleted.append(key)
        case .commit: return driver.send(.catalogueAnswered(.success(true)), at: time)
        case .readJournal: return driver.send(.journalRead(.success([])), at: time)
        default: break
        }
        return []
    }

    private func playlist(of url: String, at time: Double) -> String {
        let newest = Int(time / 6) + 10
        let first = newest - 5
        let date = at(Double(first - 11) * 6 + (later[url] ?? 0)).rfc3339
        return "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(first)\n"
            + "#EXT-X-PROGRAM-DATE-TIME:\(date)\n"
            + (first...newest).map { "#EXTINF:6,\n\($0).ts\n" }.joined()
    }

    private func digest(of segment: ListedSegment, _ use: SourceUse) throws -> [UInt8] {
        [use.source.url == primary ? 0 : 1, UInt8(truncatingIfNeeded: try number(of: segment))]
    }

    private func number(of segment: ListedSegment) throws -> Int64 {
        try #require(Int64(segment.entry.uri.prefix { $0 != "." }))
    }

    private mutating func segment(
        _ request: SegmentRequest, at time: Double,
    ) throws -> [RecordingAction] {
        let (url, number) = (request.use.source.url, try number(of: request.segment))
        if url != primary { asked.append("\(url) \(number)") }
        if number == 12, first != nil { return try same(request, at: time) }
        guard url != primary || number != 12 else {
            return driver.send(.segmentFailed(FetchFailure(status: 404), request), at: time)
        }
        var stored = PartialSegmentTests.stored(
            request.segment, measured: 6_000_000, timestamp: Double(number) * 6)
        stored.object = CommittedObject(
            key: stored.object.key, byteCount: 1000,
            digest: try digest(of: request.segment, request.use), wasThere: false)
        return driver.send(.segmentStored(stored, request), at: time)
    }

    /// Answers both sources' requests for number 12 at once.
    private mutating func same(_ request: SegmentRequest, at time: Double) throws -> [RecordingAction] {
        if request.use.source.url != primary {
            held = request
            return []
        }
        guard let other = held else {
            return driver.send(.segmentFailed(FetchFailure(status: 404), request), at: time)
        }
        let requests = first == primary ? [request, other] : [other, request]
        var actions: [RecordingAction] = []
        for (place, request) in requests.enumerated() {
            var stored = PartialSegmentTests.stored(request.segment, measured: 6_000_000, timestamp: 72)
            stored.object = CommittedObject(
                key: stored.object.key, byteCount: 1000, digest: [9, 12], wasThere: place == 0)
            actions += driver.send(.segmentStored(stored, request), at: time)
        }
        return actions
    }
}
