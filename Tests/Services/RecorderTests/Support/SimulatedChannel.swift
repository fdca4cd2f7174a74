@testable import Catalogue
import Concurrency
import HLS
import HTTP
@testable import Journal
import Monitoring
import SegmentStore
import Timeline

@testable import Recorder

/// A live source in memory: what its playlists list at a time, and what its segments answer.
struct SimulatedSource: Sendable {
    /// What changed at a time, seconds.
    enum Fault: Sendable {
        /// Nothing answers between two times.
        case unreachable(ClosedRange<Double>)
        /// The encoder starts again: numbers begin at zero, dates go on.
        case restart(at: Double)
        /// These segments of a rendition answer 404.
        case missing(RenditionID, ClosedRange<Int64>)
        /// These segments of a rendition are listed with EXT-X-GAP, until a time.
        case gap(RenditionID, ClosedRange<Int64>, until: Double = .infinity)
        /// The playlist of a rendition answers 404 between two times.
        case away(RenditionID, ClosedRange<Double>)
        /// The playlist of a rendition stands still between two times.
        case frozen(RenditionID, ClosedRange<Double>)
        /// The multivariant playlist does not name a rendition from a time on.
        case unnamed(RenditionID, from: Double)
        /// The key with this number answers 404 until a time.
        case keyMissing(Int64, until: Double)
        /// The dates of what is made from a time on are later by so many seconds.
        case dateStep(at: Double, by: Double)
    }

    var url: String
    var renditions: [RenditionID]
    var isDated = true
    /// Whether its multivariant playlist says the same renditions in other words.
    var spellsOtherwise = false
    /// Seconds.
    var segmentDuration = 6.0
    var listed = 5
    /// Segments under one key; nil is clear.
    var segmentsPerKey: Int64?
    var breaks: SimulatedBreaks?
    var faults: [Fault] = []
    /// Lines before the segments with these numbers, in each rendition.
    var lines: [Int64: [String]] = [:]
    /// What is listed besides segments, from the beginning of each on, for so many seconds.
    var dateRanges: [DateRange] = []
    /// What the source's dates are ahead of the true ones, seconds.
    var zone = 0.0
    /// What every playlist begins with instead of the right date, seconds.
    var standingDate: Double?
    /// Whether its other segments have dates that go on from there, or none.
    var datesEach = false
    /// By what share of the time the source's dates go faster than time.
    var dateDrift = 0.0
    /// By what share EXTINF is longer than a segment.
    var durationDrift = 0.0
    /// The only rendition whose EXTINF is; nil: each one's.
    var drifting: RenditionID?

    private func isReachable(at time: Double) -> Bool {
        !faults.contains { if case .unreachable(let span) = $0 { span.contains(time) } else { false } }
    }

    private func isGap(_ id: RenditionID, _ number: Int64, at time: Double) -> Bool {
        faults.contains {
            guard case .gap(id, let numbers, let end) = $0 else { return false }
            return numbers.contains(number) && time < end
        }
    }

    private func date(of number: Int64, after begin: Double) -> Double {
        begin + Double(number) * segmentDuration * (1 + dateDrift) + zone
            + dateStep(of: begin + Double(number) * segmentDuration)
    }

    private func restart(before time: Double) -> Double {
        faults.compactMap { if case .restart(let at) = $0, at <= time { at } else { nil } }.max() ?? 0
    }

    /// The number of the segment that is being made at a time.
    private func current(at time: Double) -> Int64 {
        Int64(((time - restart(before: time)) / segmentDuration).rounded(.down))
    }

    func playlist(_ request: PlaylistRequest, at time: Double) -> Result<Playlist, SourceError> {
        guard isReachable(at: time) else { return .failure(.unreachable("no connection")) }
        guard let url = request.url, url.absoluteString != self.url else {
            return renditions.count == 1
                ? .success(.media(media(renditions[0], at: time)))
                : .success(master(at: time))
        }
        let name = url.absoluteString.split(separator: "/").last?.split(separator: ".").first ?? ""
        guard let id = RenditionID(String(name)), !isAway(id, at: time) else {
            return .failure(.refused(status: 404))
        }
        return .success(.media(media(id, at: stand(of: id, at: time) ?? time)))
    }

    private func isAway(_ id: RenditionID, at time: Double) -> Bool {
        faults.contains { if case .away(id, let span) = $0 { span.contains(time) } else { false } }
    }

    /// Since when the playlist of a rendition has stood still.
    private func stand(of id: RenditionID, at time: Double) -> Double? {
        for case .frozen(id, let span) in faults where span.contains(time) { return span.lowerBound }
        return nil
    }

    private func isUnnamed(_ id: RenditionID, at time: Double) -> Bool {
        faults.contains { if case .unnamed(id, let begin) = $0 { begin <= time } else { false } }
    }

    private func master(at time: Double) -> Playlist {
        var text = "#EXTM3U\n"
        let renditions = renditions.filter { !isUnnamed($0, at: time) }
        let (name, rate, codecs) =
            spellsOtherwise ? ("aud", 1_100_000, "avc1.64002a,mp4a.40.2") : ("g", 1_000_000, "avc1.640028")
        for id in renditions where id.kind == .audio {
            text += "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"\(name)\",NAME=\"\(name)\(id)\""
            text += ",LANGUAGE=\"q\(id.index)a\",URI=\"\(id).m3u8\"\n"
        }
        let group = renditions.contains { $0.kind == .audio } ? ",AUDIO=\"\(name)\"" : ""
        for id in renditions where id.kind == .video {
            text += "#EXT-X-STREAM-INF:BANDWIDTH=\(rate * (id.index + 1)),CODECS=\"\(codecs)\"\(group)\n"
            text += "\(id).m3u8\n"
        }
        guard let read = try? Playlist.reading(Array(text.utf8)) else { return .media(MediaPlaylist()) }
        return read.playlist
    }

    private func media(_ id: RenditionID, at time: Double) -> MediaPlaylist {
        let (end, begin) = (current(at: time), restart(before: time))
        let first = max(0, end - Int64(listed))
        var playlist = MediaPlaylist()
        let said = segmentDuration * (drifting ?? id == id ? 1 + durationDrift : 1)
        playlist.targetDurationSeconds = Int(max(segmentDuration, said))
        playlist.mediaSequence = UInt64(first)
        playlist.discontinuitySequence = breaks?.discontinuitySequence(before: first)
        playlist.segments = (first..<max(first, end)).map { number in
            var segment = MediaSegment(
                uri: "\(id)-\(Int(begin))-\(number).ts",
                durationMicroseconds: Int64(said * 1_000_000),
                keys: segmentsPerKey.map { [Key(method: .aes128, uri: "key\(number / $0)")] } ?? [],
                programDateTimeMicroseconds: isDated ? at(date(of: number, after: begin)).microseconds : nil,
                unknownLines: lines[number] ?? [])
            segment.isGap = isGap(id, number, at: time)
            breaks?.change(&segment, number)
            return segment
        }
        if let standingDate {
            for index in playlist.segments.indices {
                let date = at(standingDate + Double(index) * segmentDuration).microseconds
                let isDated = index == 0 || datesEach
                playlist.segments[index].programDateTimeMicroseconds = isDated ? date : nil
            }
        }
        let (from, until) = (at(Double(first) * segmentDuration + zone), at(time + zone))
        playlist.dateRanges = dateRanges.filter {
            ($0.startMicroseconds ?? 0) <= until.microseconds
                && ($0.endMicroseconds ?? .max) > from.microseconds
        }
        return playlist
    }

    func answers(_ segment: ListedSegment, at time: Double) -> Result<Void, FetchFailure> {
        guard isReachable(at: time) else { return .failure(FetchFailure(.segmentMissing, "no connection")) }
        let isMissing = faults.contains {
            guard case .missing(let id, let numbers) = $0 else { return false }
            return segment.identity.rendition == id && numbers.contains(segment.identity.number)
        }
        return isMissing ? .failure(FetchFailure(status: 404)) : .success(())
    }

    /// Whether the key of a segment is answered.
    func hasKey(_ number: Int64, at time: Double) -> Bool {
        guard let segmentsPerKey else { return true }
        return !faults.contains {
            guard case .keyMissing(let key, let until) = $0 else { return false }
            return number / segmentsPerKey == key && time < until
        }
    }
}

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
