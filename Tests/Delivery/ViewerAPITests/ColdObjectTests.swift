import HTTP
import HTTPSupport
import SegmentStore
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import ViewerAPI

/// An archive of which nothing is in memory, and whose disk gives one object only when it is let go.
private final class StuckStore: SegmentStore {
    private struct State {
        var reading = 0
        var isStuck = true
    }

    private let stuck: ArchiveKey
    private let store = MemorySegmentStore(answersWithoutBlocking: false)
    private let state = Mutex(State())

    init(stuck: ArchiveKey) { self.stuck = stuck }

    /// How many wait for the stuck object.
    var reading: Int { state.withLock { $0.reading } }

    func goOn() { state.withLock { $0.isStuck = false } }

    func makeDraft() async throws(StoreError) -> SegmentDraft { try await store.makeDraft() }

    func source(of key: ArchiveKey, range: Range<UInt64>?) async throws(StoreError) -> ObjectSource {
        if key == stuck {
            state.withLock { $0.reading += 1 }
            while state.withLock({ $0.isStuck }), !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(5))
            }
            state.withLock { $0.reading -= 1 }
        }
        return try await store.source(of: key, range: range)
    }

    func sourceWithoutBlocking(of key: ArchiveKey) throws(StoreError) -> ObjectSource? {
        try store.sourceWithoutBlocking(of: key)
    }

    func contains(_ key: ArchiveKey) async throws(StoreError) -> Bool { try await store.contains(key) }

    func segments(of hour: ArchiveHour) async throws(StoreError) -> [SegmentName] {
        try await store.segments(of: hour)
    }

    func delete(_ segments: [SegmentName], of hour: ArchiveHour) async throws(StoreError) -> Deleted {
        try await store.delete(segments, of: hour)
    }

    func delete(_ key: ArchiveKey) async throws(StoreError) { try await store.delete(key) }

    func space() async throws(StoreError) -> StorageSpace? { try await store.space() }
}

@Suite("Objects that are not in memory", .timeLimit(.minutes(30)))
struct ColdObjectTests {
    private let stuck: ArchiveKey
    private let other: ArchiveKey
    private let store: StuckStore
    private let handler: ObjectHandler
    /// What a client has at most: objects that are read, and requests that wait.
    private let places = Limits.objectReadsPerClient + Limits.clientObjectsWaiting

    init() async throws {
        let (channel, rendition) = (try #require(ChannelID("news")), RenditionID(kind: .video, index: 0))
        let names = [0.0, 4.0].map {
            SegmentName(start: at($0), revision: 0, fileExtension: .transportStream)
        }
        stuck = .segment(channel, rendition, names[0])
        other = .segment(channel, rendition, names[1])
        store = StuckStore(stuck: stuck)
        // The clock stands still, so that no wait for a turn ends.
        handler = ObjectHandler(store: store, clock: ManualClock().clock, logger: silentLogger)
        for key in [stuck, other] { try await store.put([1, 2, 3], as: key) }
    }

    private func status(_ key: ArchiveKey, for client: String) async -> HTTPStatus {
        var request = HTTPRequest(.get, "/")
        request.client = client
        return switch handler.answer(request, key: key) {
        case .now(let response): response.status
        case .later(let work), .lightweight(let work), .reserved(let work): await work().status
        }
    }

    @Test("A client has a few read at a time, more wait or are refused; others are answered meanwhile")
    func share() async throws {
        let refused = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 * places {
                group.addTask {
                    if await status(stuck, for: "a") == .serviceUnavailable { refused.add() }
                }
            }
            try await eventually("the refusals") { refused.value == places }
            try await eventually("a share") { store.reading == Limits.objectReadsPerClient }
            #expect(await status(other, for: "b") == .ok)
            store.goOn()
            try await group.waitForAll()
        }
        #expect(refused.value == places)
        #expect(await status(other, for: "a") == .ok)
    }

    @Test("Requests of a client that has left take no place any more")
    func left() async throws {
        let requests = (0..<places).map { _ in Task { await status(stuck, for: "a") } }
        try await eventually("a share") { store.reading == Limits.objectReadsPerClient }
        for request in requests { request.cancel() }
        for request in requests { _ = await request.value }
        #expect(await status(other, for: "a") == .ok)
    }
}
