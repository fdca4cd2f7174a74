import Catalogue
import Concurrency
import DatabaseSupport
import Digest
import Foundation
import HTTP
import Postgres
import SegmentStore
import Synchronization
import TestSupport
import Timeline

@testable import ViewerAPI

/// 2016-07-26T05:05:16Z, a full second in every form of time.
let origin = Instant(milliseconds: 1_469_509_516_000)

func at(_ seconds: Double) -> Instant {
    origin + Int64((seconds * 1_000_000).rounded())
}

/// A catalogue and an archive with what a recorder would have left in them, behind the viewer's API.
final class Archive: Sendable {
    let catalogue: Catalogue
    let store: MemorySegmentStore
    let api: ViewerAPI
    let clock = Clock()
    private let node = UUID().uuidString

    private init(pool: PostgresPool, store: MemorySegmentStore, maxWindowSeconds: Int64) {
        self.store = store
        catalogue = Catalogue(pool: pool, logger: silentLogger)
        let clock = clock
        var host = HostClock.system
        host.now = { clock.now }
        api = ViewerAPI(
            catalogue: catalogue, store: store,
            configuration: ViewerConfiguration(maxWindowSeconds: maxWindowSeconds),
            clock: host, logger: silentLogger)
    }

    /// A clock that stands until it is set.
    final class Clock: Sendable {
        private let instant = Mutex(at(100_000))

        var now: Instant {
            get { instant.withLock { $0 } }
            set { instant.withLock { $0 = newValue } }
        }
    }

    /// Opens an archive on a fresh database, and closes it afterwards.
    static func with(
        maxWindowSeconds: Int64 = 86_400, store: MemorySegmentStore = MemorySegmentStore(),
        _ body: (Archive) async throws -> Void,
    ) async throws {
        try await withCatalogueDatabase(size: 2, acquireTimeout: .seconds(2)) { pool, _ in
            try await body(Archive(pool: pool, store: store, maxWindowSeconds: maxWindowSeconds))
        }
    }

    /// Opens an archive on a server of its own, which may be stopped.
    static func with(server: PostgresCluster, _ body: (Archive) async throws -> Void) async throws {
        try await migrateCatalogue(server.uri())
        let configuration = PoolConfiguration(
            try ConnectionString(server.uri()), size: 2, acquireTimeout: .seconds(2))
        try await withPool(configuration) { pool in
            try await body(
                Archive(pool: pool, store: MemorySegmentStore(), maxWindowSeconds: 86_400))
        }
    }

    /// The same archive as a server sees it whose database does not answer.
    func withoutCatalogue(_ body: (Archive) async throws -> Void) async throws {
        // Port 1 of the loopback: nothing listens there.
        let nowhere = PoolConfiguration(
            try ConnectionString("postgresql://127.0.0.1:1/none"), acquireTimeout: .seconds(2))
        try await withPool(nowhere) { pool in
            try await body(Archive(pool: pool, store: store, maxWindowSeconds: 86_400))
        }
    }

    /// Enters a channel and everything that it has.
    func record(_ recording: Recording) async throws {
        guard let id = ChannelID(recording.channel) else { return }
        var settings = ChannelSettings(
            id: id, title: recording.channel, sources: [], retentionSeconds: recording.retentionSeconds)
        settings.timeZone = recording.timeZone
        let channel = try await catalogue.create(settings)
        try await catalogue.heartbeat(node: node, seconds: 600)
        if let playlistForm = recording.playlistForm {
            try await catalogue.setPlaylistForm(playlistForm, of: channel.row)
        }
        try await goOn(recording)
        for segment in recording.segments { try await store.put(segment.stored, as: segment.key(of: id)) }
        for (name, key) in recording.keys { try await store.put(key, as: .key(id, name)) }
    }

    /// Enters what a channel has recorded since: what is known of it already is not entered again.
    func goOn(_ recording: Recording) async throws {
        guard let id = ChannelID(recording.channel), let found = try await catalogue.channel(id),
            let lease = try await catalogue.takeLease(channel: found.row, node: node)
        else { throw TestFailure("\(recording.channel) cannot be recorded") }
        _ = try await catalogue.commit(recording.batch(found, fence: lease.fence))
    }

    /// Enters a segment that came too late to be published.
    func repair(_ channel: String, at start: Double) async throws {
        guard let id = ChannelID(channel), let found = try await catalogue.channel(id) else { return }
        var recording = Recording(channel, seconds: 0)
        recording.add("v0", from: start, count: 1)
        recording.segments[0].number = Int64(1_000 + start)
        var batch = recording.batch(found, fence: -1)
        batch.segments[0].number = nil
        batch.segments[0].discontinuitySequence = nil
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

    func expire(_ channel: String, before cut: Instant) async throws {
        guard let id = ChannelID(channel), let found = try await catalogue.channel(id) else { return }
        _ = try await catalogue.expire(found, before: cut, graceSeconds: 7200)
    }

    /// Sends a request of a path with a query to the handler, as the server does.
    func ask(
        _ target: String, method: HTTPMethod = .get, _ headers: HTTPHeaders = HTTPHeaders()
    ) async throws -> Answer {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        let request = HTTPRequest(
            method: method, path: parts[0], query: parts.count > 1 ? parts[1] : nil, headers: headers)
        guard let answer = api.answer(request) else { throw NotOurs() }
        switch answer {
        case .now(let response): return try await Answer(response, isLater: false)
        case .later(let make): return try await Answer(await make(), isLater: true)
        }
    }

    struct NotOurs: Error {}
}

/// An answer with its body read.
struct Answer {
    var status: Int
    var headers: HTTPHeaders
    var body: [UInt8]
    var isLater: Bool

    init(_ response: HTTPResponse, isLater: Bool) async throws {
        status = response.status.rawValue
        headers = response.headers
        self.isLater = isLater
        switch response.body {
        case .empty: body = []
        case .bytes(let bytes): body = bytes
        case .pieces(let pieces): body = pieces.flatMap(\.bytes)
        case .file(let slice): body = try slice.file.read(at: slice.offset, upTo: Int(slice.byteCount))
        case .stream(_, let source):
            body = []
            while let piece = try await source.next(limit: 1000) { body += piece }
        }
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The members of a problem document.
    var problem: [String: Any] {
        let object = try? JSONSerialization.jsonObject(with: Data(body))
        return headers["Content-Type"] == "application/problem+json" ? object as? [String: Any] ?? [:] : [:]
    }

    /// The URIs that a playlist lists.
    var uris: [String] {
        text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
    }
}
