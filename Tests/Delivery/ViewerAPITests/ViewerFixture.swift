import Access
import Concurrency
import DatabaseSupport
import Digest
import Foundation
import HTTP
import HTTPSupport
import SegmentStore
import Synchronization
import TestSupport
import Timeline

@testable import Catalogue
@testable import Postgres
@testable import ViewerAPI

/// The viewer API with a catalogue and an archive as a recorder would have left them, and a client.
final class ViewerFixture: Sendable {
    let catalogue: Catalogue
    let store: MemorySegmentStore
    let api: ViewerAPI
    let clock: Clock
    private let client: APIClient
    private let transport: TransportKind
    private let node: String

    private init(_ parts: Parts, _ client: APIClient, over transport: TransportKind, node: String) {
        self.node = node
        (catalogue, store, api, clock) = (parts.catalogue, parts.store, parts.api, parts.clock)
        (self.client, self.transport) = (client, transport)
    }

    /// What answers requests, before there is a client.
    private struct Parts {
        let catalogue: Catalogue
        let store: MemorySegmentStore
        let clock = Clock()
        let api: ViewerAPI

        init(
            _ pool: PostgresPool, _ store: MemorySegmentStore, maxWindowSeconds: Int64,
            isShared: Bool = false, isCanonical: Bool = false, publicBase: PublicBase? = nil,
            secrets: [String] = [], ffmpeg: String = "ffmpeg"
        ) {
            self.store = store
            catalogue = Catalogue(pool: pool, logger: silentLogger)
            let host = HostClock(
                now: { [clock] in clock.now },
                steady: { [clock] in clock.steady },
                sleep: { [clock] in try await clock.sleep(until: $0) })
            var configuration = ViewerConfiguration(
                maxWindowSeconds: maxWindowSeconds, isShared: isShared,
                isCanonical: isCanonical, publicBase: publicBase,
                tokenSigner: TokenSigner(secrets: secrets))
            configuration.ffmpeg = ffmpeg
            api = ViewerAPI(
                catalogue: catalogue, store: store, configuration: configuration,
                clock: host, logger: silentLogger)
        }
    }

    /// A clock that stands until it is set, and a steady one beside it.
    final class Clock: Sendable {
        private let instant = Mutex(at(100_000))

        private let lead = Mutex(Duration.zero)

        /// Since when the steady clock has been slow.
        private let slowSince = Mutex<SteadyInstant?>(nil)

        var now: Instant {
            get { instant.withLock { $0 } }
            set { instant.withLock { $0 = newValue } }
        }

        /// How far the steady clock is ahead of the machine's.
        var steadyLead: Duration {
            get { lead.withLock { $0 } }
            set { lead.withLock { $0 = newValue } }
        }

        /// From now on the steady clock takes a thousand times as long for everything.
        ///
        /// What is known stays so, who waits goes on waiting, and nobody looks again, on the slowest machine.
        func slowDown() {
            slowSince.withLock { $0 = HostClock.system.steady() }
        }

        fileprivate var steady: SteadyInstant {
            let real = HostClock.system.steady()
            guard let since = slowSince.withLock({ $0 }) else { return real + steadyLead }
            return since + (real - since) / 1000 + steadyLead
        }

        fileprivate func sleep(until end: SteadyInstant) async throws {
            let isSlow = slowSince.withLock { $0 } != nil
            try await HostClock.system.sleep(for: (end - steady) * (isSlow ? 1000 : 1))
        }
    }

    /// Runs a body with a fixture on a fresh database.
    static func with(
        over transport: TransportKind = .handler, maxWindowSeconds: Int64 = 86_400,
        secrets: [String] = [], store: MemorySegmentStore = MemorySegmentStore(),
        _ body: (ViewerFixture) async throws -> Void,
    ) async throws {
        try await withCatalogueDatabase(size: 2) { pool, _ in
            let parts = Parts(pool, store, maxWindowSeconds: maxWindowSeconds, secrets: secrets)
            try await run(parts, over: transport, body)
        }
    }

    /// Runs a body with a fixture on a server of its own, which may be stopped.
    static func with(server: PostgresCluster, _ body: (ViewerFixture) async throws -> Void) async throws {
        try await migrateCatalogue(server.uri())
        try await withPool(.patient(server.uri(), size: 2)) { pool in
            let parts = Parts(pool, MemorySegmentStore(), maxWindowSeconds: 86_400)
            try await run(parts, over: .handler, body)
        }
    }

    /// The same archive as a server sees it whose database does not answer.
    func withoutCatalogue(_ body: (ViewerFixture) async throws -> Void) async throws {
        // Port 1 of the loopback: nothing listens there.
        try await withPool(.patient("postgresql://127.0.0.1:1/none")) { pool in
            try await Self.run(Parts(pool, store, maxWindowSeconds: 86_400), over: transport, body)
        }
    }

    /// Another node with connections of its own on the same database, which may record the same channels.
    func withReplica(
        isShared: Bool = true, isCanonical: Bool = false, maxWindowSeconds: Int64 = 86_400,
        publicBase: PublicBase? = nil, secrets: [String] = [], ffmpeg: String = "ffmpeg",
        connections: Int? = nil, _ body: (ViewerFixture) async throws -> Void
    ) async throws {
        var configuration = catalogue.pool.configuration
        if let connections { configuration.size = connections }
        try await withPool(configuration) { pool in
            let parts = Parts(
                pool, store, maxWindowSeconds: maxWindowSeconds, isShared: isShared,
                isCanonical: isCanonical, publicBase: publicBase, secrets: secrets,
                ffmpeg: ffmpeg)
            try await Self.run(parts, over: transport, node: node, body)
        }
    }

    private static func run(
        _ parts: Parts, over transport: TransportKind, node: String = UUID().uuidString,
        _ body: (ViewerFixture) async throws -> Void
    ) async throws {
        let handler = FunctionHandler(admitBody: { parts.api.admitBody(of: $0) }) { parts.api.answer($0) }
        try await withAPIClient(over: transport, to: handler) { client in
            try await body(ViewerFixture(parts, client, over: transport, node: node))
        }
    }

    /// Enters a channel and everything that it has.
    func record(_ recording: Recording) async throws {
        guard let id = ChannelID(recording.channel) else { return }
        var settings = ChannelSettings(
            id: id, title: recording.title ?? recording.channel, sources: [],
            retentionSeconds: recording.retentionSeconds)
        settings.timeZone = recording.timeZone
        (settings.logo, settings.group) = (recording.logo, recording.group)
        let channel = try await catalogue.create(settings)
        try await catalogue.heartbeat(node: node, seconds: 600)
        if let playlistForm = recording.playlistForm {
            try await catalogue.setPlaylistForm(playlistForm, of: channel.row)
        }
        try await recordMore(recording)
        for segment in recording.segments { try await store.put(segment.stored, as: segment.key(of: id)) }
        for (name, key) in recording.keys { try await store.put(key, as: .key(id, name)) }
    }

    /// Enters what a channel has recorded since: what is known of it already is not entered again.
    func recordMore(_ recording: Recording) async throws {
        guard let id = ChannelID(recording.channel), let found = try await catalogue.channel(id),
            let lease = try await catalogue.takeLease(channel: found.row, node: node)
        else { throw TestFailure("\(recording.channel) cannot be recorded") }
        _ = try await catalogue.commit(recording.batch(found, fence: lease.fence))
    }

    /// Enters a segment that came too late to be published.
    func repair(_ channel: String, at start: Double, flags: SegmentFlags = []) async throws {
        guard let id = ChannelID(channel), let found = try await catalogue.channel(id) else { return }
        var recording = Recording(channel, seconds: 0)
        recording.add("v0", from: start, count: 1)
        recording.segments[0].number = Int64(1_000 + start)
        var batch = recording.batch(found, fence: -1)
        batch.segments[0].number = nil
        batch.segments[0].discontinuitySequence = nil
        batch.segments[0].fact.flags.formUnion(flags)
        _ = try await catalogue.commit(batch)
    }

    /// Notes a segment whose key is away.
    func waitForKey(_ channel: String, at start: Double) async throws {
        guard let id = ChannelID(channel), let found = try await catalogue.channel(id) else { return }
        var batch = Recording(channel, seconds: 0).batch(found, fence: -1)
        batch.keyPending = [
            KeyPendingSegment(
                channel: id,
                identity: SegmentIdentity(
                    rendition: RenditionID(kind: .video, index: 0), run: 2, number: 1),
                start: at(start), duration: 4_000_000, container: .transportStream, cipher: nil,
                arrived: at(start + 4), source: "")
        ]
        _ = try await catalogue.commit(batch)
    }

    /// Notes that a rendition lost media between two times.
    func lose(_ channel: String, _ rendition: String, from begin: Double, to end: Double) async throws {
        guard let id = ChannelID(channel), let found = try await catalogue.channel(id) else { return }
        var batch = Recording(channel, seconds: 0).batch(found, fence: -1)
        batch.losses = [
            Loss(
                window: TimeWindow(begin: at(begin), end: at(end)), reason: .segmentMissing,
                rendition: RenditionID(rendition))
        ]
        _ = try await catalogue.commit(batch)
    }

    func expire(_ channel: String, before cut: Instant) async throws {
        guard let id = ChannelID(channel), let found = try await catalogue.channel(id) else { return }
        _ = try await catalogue.expire(found, before: cut, graceSeconds: 7200)
    }

    func get(_ target: String, _ headers: HTTPHeaders = [:]) async throws -> ReceivedResponse {
        try await client.get(target, headers)
    }

    func send(
        _ method: HTTPMethod, _ target: String, _ headers: HTTPHeaders = [:]
    ) async throws -> ReceivedResponse {
        try await client.send(method, target, headers)
    }

    func send(_ request: HTTPRequest) async throws -> ReceivedResponse {
        try await client.send(request)
    }

    /// The answer of the handler to a GET, whose body is not read.
    func begun(_ target: String, from client: String = "") async -> HTTPResponse {
        var request = HTTPRequest(.get, target)
        request.client = client
        return switch api.answer(request) {
        case .now(let response): response
        case .later(let work), .lightweight(let work), .reserved(let work): await work()
        case nil: HTTPResponse(status: .notFound)
        }
    }

    /// Whether the handler answers a GET without waiting.
    func answersWithoutBlocking(_ target: String, _ headers: HTTPHeaders = [:]) -> Bool {
        if case .now = api.answer(HTTPRequest(.get, target, headers)) { true } else { false }
    }

    /// Whether the handler answers a GET without waiting once what it needs was read, for another target or
    /// for the same.
    ///
    /// What was read counts as known for two seconds, so it is read again on a machine that is slower.
    func answersWithoutBlocking(
        _ target: String, _ headers: HTTPHeaders = [:], after other: String,
    ) async throws -> Bool {
        for _ in 0..<20 {
            if answersWithoutBlocking(target, headers) { return true }
            _ = try await get(other, headers)
        }
        return false
    }
}

extension ReceivedResponse {
    /// The URIs that a playlist lists.
    var uris: [String] {
        text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
    }
}
