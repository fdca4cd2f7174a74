@testable import Catalogue
import Concurrency
import HLS
import HTTP
@testable import Journal
import Monitoring
import SegmentStore
import Timeline

@testable import Recorder

/// A channel that is recorded in memory: `RecordingState` with simulated time, sources, journal and
/// catalogue.
///
/// Events happen in the order of their times; nothing waits for real.
struct SimulatedChannel {
    let channel: Channel
    let sources: [SimulatedSource]
    private(set) var state: RecordingState
    /// Seconds since the beginning.
    private(set) var time = 0.0
    private(set) var batches: [Batch] = []
    /// The segments that were asked for, in order; again where a try failed.
    private(set) var requested: [SegmentIdentity] = []
    private(set) var actionCount = 0
    private(set) var loadCount = 0
    private(set) var journal: [JournalEntry] = []
    private(set) var trimmed: Set<JournalPosition> = []
    private(set) var messages: [String] = []
    private(set) var status: ChannelStatus?
    private(set) var ending: RecordingEnding?
    private var wait: Double?
    private var coming: [(time: Double, order: Int, event: RecordingEvent)] = []
    private var order = 0
    /// While PostgreSQL is away, seconds.
    var catalogueAway: ClosedRange<Double>?
    /// The host's clock is set on by so many seconds from a time on.
    var clockStep: (from: Double, seconds: Double)?

    init(
        _ sources: [SimulatedSource], clock: ClockChoice = .auto, heads: [RenditionHead] = [],
        seed: UInt64 = 1,
    ) {
        self.sources = sources
        let id = ChannelID("news") ?? PublisherStage.fact(video(0), 0).channel
        var settings = ChannelSettings(
            id: id, title: "News",
            sources: sources.enumerated().map { index, source in
                SourceSettings(url: source.url, priority: index)
            }, retentionSeconds: nil)
        settings.clock = clock
        channel = Channel(
            row: 1, settings: settings, version: 1, playlistForm: nil, mediaUntil: nil, isDeleted: false)
        let nothing = Instant(microseconds: 0)
        let lease = Lease(
            fence: 1,
            publishedHead: PublishedHead(
                discontinuitySequence: 0, end: nothing, watermark: nothing, expiredBefore: nothing,
                targetSeconds: 0))
        state = RecordingState(
            channel: channel, lease: lease, heads: heads, newestRun: nil,
            at: Moment(date: at(Self.epoch), steady: moment(0)), seed: seed)
        happen(.started, after: 0)
    }

    /// Simulated time begins here, seconds since 1970.
    static let epoch = 0.0

    /// Lets time pass up to so many seconds from the beginning.
    mutating func run(until end: Double) {
        while ending == nil {
            let next = coming.indices.min {
                (coming[$0].time, coming[$0].order) < (coming[$1].time, coming[$1].order)
            }
            let due = next.map { coming[$0].time }
            if let wait, wait <= end, wait <= due ?? .infinity {
                (time, self.wait) = (max(time, wait), nil)
                handle(.clockAdvanced)
            } else if let next, let due, due <= end {
                time = max(time, due)
                handle(coming.remove(at: next).event)
            } else {
                break
            }
        }
        if ending == nil { time = end }
    }

    /// Tells the recording to stop, and lets it.
    mutating func stop() {
        handle(.stopRequested)
        run(until: time + 30)
    }

    private mutating func handle(_ event: RecordingEvent) {
        let step = clockStep.map { time >= $0.from ? $0.seconds : 0 } ?? 0
        let moment = Moment(date: at(Self.epoch + time + step), steady: RecorderTests.moment(time))
        let actions = state.handle(event, at: moment)
        actionCount += actions.count
        for action in actions { perform(action) }
    }

    private mutating func happen(_ event: RecordingEvent, after seconds: Double) {
        coming.append((time + seconds, order, event))
        order += 1
    }

    private mutating func perform(_ action: RecordingAction) {
        switch action {
        case .fetchPlaylist(let request): answer(request)
        case .fetchSegment(let request):
            requested.append(request.segment.identity)
            answer(request)
        case .probeSegment(let request):
            let probed = ProbedSegment(digest: Self.digest(of: request.segment))
            happen(.segmentProbed(probed, request), after: 0.05)
        case .openPendingSegment(let segment, let use): open(segment, use)
        case .cancelFetches: break
        case .journal(let entries):
            let first = journal.count
            journal += entries
            let positions = entries.indices.map { JournalPosition(file: 1, line: first + $0) }
            happen(.journalWritten(.success(positions)), after: 0.002)
        case .readJournal(let position, let limit):
            let first = position.map { $0.line + 1 } ?? 0
            let lines = journal.indices.dropFirst(first)
                .map { JournalLineRead(position: JournalPosition(file: 1, line: $0), entry: journal[$0]) }
                .filter { !trimmed.contains($0.position) }
            happen(.journalRead(.success(Array(lines.prefix(limit)))), after: 0.002)
        case .trimJournal(let positions): trimmed.formUnion(positions)
        case .setAside(let entries, _): trimmed.formUnion(entries.compactMap(\.position))
        case .commit(let batch): commit(batch)
        case .publishStatus(let status): self.status = status
        case .log(let message): messages.append(message.text)
        case .wait(let until): wait = (until - RecorderTests.moment(0)) / .seconds(1)
        case .end(let ending): self.ending = ending
        case .setPlaylistForm, .deleteObject: break
        }
    }

    private mutating func commit(_ batch: Batch) {
        if let catalogueAway, catalogueAway.contains(time) {
            happen(.catalogueAnswered(.failure(.notInTime)), after: 0.1)
        } else {
            batches.append(batch)
            happen(.catalogueAnswered(.success(true)), after: 0.005)
        }
    }

    private func source(of use: SourceUse) -> SimulatedSource? {
        sources.first { $0.url == use.source.url }
    }

    private mutating func answer(_ request: PlaylistRequest) {
        loadCount += 1
        guard let source = source(of: request.use), let base = try? HTTPURL(source.url) else { return }
        let arrival = Moment(date: at(Self.epoch + time + 0.03), steady: RecorderTests.moment(time + 0.03))
        switch source.playlist(request, at: time) {
        case .success(let playlist):
            let fetched = FetchedPlaylist(playlist: playlist, base: base, arrival: arrival)
            happen(.playlistArrived(fetched, request), after: 0.03)
        case .failure(let error):
            happen(.playlistFailed(error, request), after: 0.03)
        }
    }

    private mutating func answer(_ request: SegmentRequest) {
        guard let source = source(of: request.use) else { return }
        // Downloads take more or less time, so that they end in another order than they were begun.
        let duration = 0.1 + Double(request.segment.identity.number % 3) * 0.07
        if case .failure(let failure) = source.answers(request.segment, at: time) {
            happen(.segmentFailed(failure, request), after: 0.02)
        } else if !source.hasKey(request.segment.identity.number, at: time) {
            happen(.segmentKeyMissed(pending(request.segment), request), after: duration)
        } else {
            happen(
                .segmentStored(Self.stored(request.segment.placed, request.segment), request), after: duration
            )
        }
    }

    private func pending(_ segment: ListedSegment) -> KeyPendingSegment {
        KeyPendingSegment(
            channel: channel.id, identity: segment.identity, start: segment.placed.start,
            duration: segment.placed.duration, container: .transportStream,
            cipher: .init(keyURL: segment.entry.keys.first?.uri ?? "", iv: []), arrived: segment.arrival,
            source: "", boundary: segment.placed.boundary, cueTags: segment.keptTags)
    }

    private mutating func open(_ segment: KeyPendingSegment, _ use: SourceUse) {
        let hasKey = source(of: use)?.hasKey(segment.identity.number, at: time) ?? false
        let result: Result<StoredSegment, FetchFailure> =
            hasKey
            ? .success(Self.stored(segment.placed, nil)) : .failure(FetchFailure(.keyMissing, "404"))
        happen(.pendingSegmentOpened(result, segment), after: 0.05)
    }

    private static func digest(of segment: ListedSegment) -> [UInt8] {
        Array(segment.entry.uri.utf8)
    }

    private static func stored(_ placed: PlacedSegment, _ segment: ListedSegment?) -> StoredSegment {
        let name = SegmentName(start: placed.start, revision: 0, fileExtension: .transportStream)
        let object = CommittedObject(
            key: .segment(PublisherStage.fact(video(0), 0).channel, placed.identity.rendition, name),
            byteCount: 1000, digest: segment.map(digest) ?? [1], wasThere: false)
        var format = SegmentFormat(
            container: .transportStream,
            tracks: SimulatedBreaks.tracks(of: segment, in: placed.identity.rendition))
        format.keyName = segment?.entry.keys.first?.uri
        return StoredSegment(object: object, format: format, flags: [], plainBytes: 1000)
    }
}

/// What was entered.
extension SimulatedChannel {
    var segments: [DecidedSegment] { batches.flatMap(\.segments) }
    var losses: [Loss] { batches.flatMap(\.losses) }
    var discontinuityStarts: [DiscontinuityStart] { batches.flatMap(\.discontinuityStarts) }

    /// Published segments of a rendition, in order of their numbers.
    func published(_ id: RenditionID) -> [DecidedSegment] {
        segments.filter { $0.fact.identity.rendition == id && $0.number != nil }
            .sorted { ($0.number ?? 0) < ($1.number ?? 0) }
    }
}
