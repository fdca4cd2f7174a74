@testable import Catalogue
import Concurrency
import HLS
import HTTP
import HTTPClient
@testable import Journal
import Monitoring
import SegmentStore
import TestSupport
import Timeline

@testable import Recorder

/// A process that records a channel with a real journal and a real catalogue; sources and segments are said
/// to it by the test.
actor RecordingProcess {
    nonisolated let lease: Lease
    nonisolated let dependencies: RecorderDependencies
    nonisolated let journal: ChannelJournal
    private nonisolated let channel: Channel
    private(set) var state: RecordingState
    /// Segments that the state has asked for and that were not answered.
    private var requests: [SegmentIdentity: SegmentRequest] = [:]
    /// Those that were listed, asked for or not.
    private var listed: Set<SegmentIdentity> = []
    private var probes: [ProbeRequest] = []
    private var opening: PlaylistRequest?
    private var commit: Batch?
    /// Time that passed besides that of both clocks, so that a batch is due.
    private var skew = Duration.zero
    private var isRefused = false

    /// Takes the channel, goes on where catalogue and journal stand, and opens a source with these
    /// renditions.
    ///
    /// The channel is the fixture's, and so is the journal, unless another folder is given or another
    /// recording is shared.
    init(
        _ fixture: RecorderFixture, channel other: Channel? = nil,
        opening renditions: [RenditionID] = [video(0)],
        source: String? = nil, journal folder: String? = nil, sharing shared: RecorderDependencies? = nil,
        node: String = RecorderFixture.node, clock: HostClock = .system,
    ) async throws {
        var channel = other ?? fixture.channel
        if let source { channel.settings.sources = [SourceSettings(url: source)] }
        self.channel = channel
        dependencies =
            try shared
            ?? RecorderDependencies(
                catalogue: fixture.catalogue, heartbeats: fixture.catalogue, store: MemorySegmentStore(),
                journal: try Journal.open(
                    folder: folder ?? fixture.journal.path, clock: clock, logger: silentLogger),
                client: try HTTPClient.open(ClientConfiguration(logger: silentLogger)),
                addressPolicy: AddressPolicy(), board: StatusBoard(), clock: clock, isDiskFull: { false })
        guard let lease = try await fixture.catalogue.takeLease(channel: channel.row, node: node) else {
            throw TestFailure("no lease")
        }
        self.lease = lease
        journal = try dependencies.journal.channel(channel.id)
        let held = try await HeldRecording(
            try await fixture.catalogue.heads(of: channel.row), of: channel.row, in: fixture.catalogue)
        state = RecordingState(
            channel: channel, lease: lease, heads: held.heads, newestRun: held.newestRun,
            lastRun: held.lastRun,
            at: Moment(date: clock.now(), steady: clock.steady()), seed: 7)
        try await send(.started)
        try await open(renditions)
    }

    nonisolated var channelRow: Int32 { channel.row }

    /// Ends like a killed process: nothing is done but that its files are let go.
    func kill() async {
        await dependencies.journal.close()
        await dependencies.client.close()
    }

    // MARK: The source

    private func open(_ renditions: [RenditionID]) async throws {
        guard let request = opening else { throw TestFailure("no source is opened") }
        opening = nil
        let playlist: Playlist =
            renditions == [video(0)] ? .media(MediaPlaylist()) : try Self.master(of: renditions)
        let now = Moment(date: dependencies.clock.now(), steady: dependencies.clock.steady())
        let fetched = FetchedPlaylist(
            playlist: playlist, base: try HTTPURL(request.use.source.url), arrival: now)
        try await send(.playlistArrived(fetched, request))
    }

    /// A multivariant playlist with renditions whose attributes differ by their ids.
    static func master(of renditions: [RenditionID]) throws -> Playlist {
        var text = "#EXTM3U\n"
        for id in renditions where id.kind == .audio {
            text += "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"g\",NAME=\"\(id)\",URI=\"\(id).m3u8\"\n"
        }
        let group = renditions.contains { $0.kind == .audio } ? ",AUDIO=\"g\"" : ""
        for id in renditions where id.kind == .video {
            text += "#EXT-X-STREAM-INF:BANDWIDTH=1000000,RESOLUTION=640x\(360 / (id.index + 1))\(group)\n"
            text += "\(id).m3u8\n"
        }
        return try Playlist.reading(Array(text.utf8)).playlist
    }

    /// Lists segments with these numbers, six seconds each, and gives the new ones.
    ///
    /// After a restart the bytes of a segment in question are the ones stored. EXT-X-DISCONTINUITY is before
    /// the segment with the number `parted`.
    @discardableResult
    func list(
        _ numbers: ClosedRange<Int>, of rendition: RenditionID = video(0), parted: Int? = nil,
    ) async throws -> [ListedSegment] {
        guard let use = state.sources.session?.use else { throw TestFailure("no source is in use") }
        let time = Double(numbers.upperBound + 1) * 6
        var playlist = RecorderTests.list(numbers, date: { Double($0) * 6 })
        if let parted { playlist.segments[parted - numbers.lowerBound].discontinuityCount = 1 }
        let fetched = FetchedPlaylist(
            playlist: .media(playlist), base: try HTTPURL(use.source.url),
            arrival: Moment(date: at(time), steady: moment(time)))
        let request = PlaylistRequest(use: use, purpose: .rendition(rendition), startedAt: moment(time))
        try await send(.playlistArrived(fetched, request))
        while let probe = probes.popLast() {
            let digests = state.progress.renditions[rendition]?.digests
            let digest = digests?[probe.segment.identity.number] ?? []
            try await send(.segmentProbed(ProbedSegment(digest: digest), probe))
        }
        let waiting = state.fetches.queues[rendition]?.waiting ?? []
        let new = (requests.values + waiting).map(\.segment)
            .filter { $0.identity.rendition == rendition && !listed.contains($0.identity) }
            .sorted { $0.identity.number < $1.identity.number }
        listed.formUnion(new.map(\.identity))
        return new
    }

    /// Segments come; with flags they are not whole.
    func store(_ segments: [ListedSegment], flags: SegmentFlags = [], revision: Int16 = 0) async throws {
        var left = Dictionary(uniqueKeysWithValues: segments.map { ($0.identity, $0) })
        while !left.isEmpty {
            // A few are asked for at once, and the next ones when these have come.
            let asked = left.keys.filter { requests[$0] != nil }
            guard !asked.isEmpty else { return try await storeAgain(Array(left.values)) }
            let now = self.now
            var actions: [RecordingAction] = []
            for identity in asked.sorted(by: { $0.number < $1.number }) {
                guard let request = requests.removeValue(forKey: identity) else { continue }
                left[identity] = nil
                let stored = Self.stored(request.segment, flags: flags, revision: revision)
                actions += state.handle(.segmentStored(stored, request), at: now)
            }
            for action in actions { try await perform(action) }
        }
    }

    /// Segments come that were not asked for, or were given up.
    private func storeAgain(_ segments: [ListedSegment]) async throws {
        for segment in segments {
            try await send(.segmentStored(Self.stored(segment), try request(of: segment)))
        }
    }

    /// A segment does not come.
    func lose(_ segment: ListedSegment) async throws {
        try await send(
            .segmentFailed(FetchFailure(.segmentExpired, "404", isTransient: false), try request(of: segment))
        )
    }

    private func request(of segment: ListedSegment) throws -> SegmentRequest {
        guard let use = state.sources.session?.use else { throw TestFailure("no source is in use") }
        let base = try HTTPURL(use.source.url)
        return requests.removeValue(forKey: segment.identity)
            ?? SegmentRequest(segment: segment, base: base, use: use)
    }

    /// Lists and stores.
    func record(_ numbers: ClosedRange<Int>, of renditions: [RenditionID] = [video(0)]) async throws {
        for rendition in renditions { try await store(try await list(numbers, of: rendition)) }
    }

    // MARK: The catalogue

    /// Enters one batch, if one is due.
    ///
    /// - Returns: whether there was one
    @discardableResult
    func commitOnce() async throws -> Bool {
        if commit == nil {
            skew += Limits.commitInterval
            try await send(.clockAdvanced)
        }
        guard let batch = commit else { return false }
        commit = nil
        let result: Result<Bool, CatalogueError>
        do throws(CatalogueError) {
            let isHeld = try await dependencies.catalogue.commit(batch)
            isRefused = !isHeld
            result = .success(isHeld)
        } catch {
            result = .failure(error)
        }
        try await send(.catalogueAnswered(result))
        if case .failure(let error) = result, error.refusedFacts == nil {
            try await Task.sleep(for: .milliseconds(200))
        }
        return true
    }

    /// Enters batches until nothing is left; how many there were, and the most facts that were held between
    /// two.
    @discardableResult
    func commitAll() async throws -> (batches: Int, held: Int) {
        var batches = 0
        var held = 0
        // Twice nothing: the first of them may only have read the end of the journal.
        var idle = 0
        while idle < 2 {
            let isBatch = try await commitOnce()
            if isRefused { throw TestFailure("the lease is lost") }
            idle = isBatch || state.publication.pending != nil ? 0 : idle + 1
            batches += isBatch ? 1 : 0
            held = max(held, heldCount)
        }
        return (batches, held)
    }

    /// What is held of a segment that was asked for and is not answered yet.
    func held(_ segment: ListedSegment) -> IncompleteSegment? { requests[segment.identity]?.held }

    /// Facts that are held in memory.
    var heldCount: Int { state.publication.positions.count }
    var pendingCount: Int { state.publication.publisher.pendingCount }
    var descriptions: [RenditionDescription] {
        state.progress.renditions.values.map(\.description).sorted { $0.id < $1.id }
    }

    // MARK: Actions

    private var now: Moment {
        Moment(
            date: dependencies.clock.now() + skew.wholeMicroseconds,
            steady: dependencies.clock.steady() + skew)
    }

    private func send(_ event: RecordingEvent) async throws {
        for action in state.handle(event, at: now) { try await perform(action) }
    }

    private func perform(_ action: RecordingAction) async throws {
        switch action {
        case .fetchPlaylist(let request) where request.purpose == .opening: opening = request
        case .fetchSegment(let request): requests[request.segment.identity] = request
        case .probeSegment(let request): probes.append(request)
        case .commit(let batch): commit = batch
        case .journal, .readJournal, .trimJournal, .setAside:
            let runner = ActionRunner(
                channel: channel, dependencies: dependencies, journal: journal, logger: silentLogger)
            if let event = await runner.perform(action) { try await send(event) }
        default: break
        }
    }

    private static func stored(
        _ segment: ListedSegment, flags: SegmentFlags = [], revision: Int16 = 0,
    ) -> StoredSegment {
        let name = SegmentName(
            start: segment.placed.start, revision: revision, fileExtension: .transportStream)
        let digest = withUnsafeBytes(of: segment.identity.number.bigEndian) { Array($0) }
        let object = CommittedObject(
            key: .segment(PublisherStage.fact(video(0), 0).channel, segment.identity.rendition, name),
            byteCount: 1000, digest: digest, wasThere: false)
        return StoredSegment(
            object: object, format: SegmentFormat(container: .transportStream, tracks: "video:h264"),
            flags: segment.flags.union(flags), plainBytes: flags.isEmpty ? 1000 : 400)
    }
}
