import HLS
import HTTP
import SegmentStore
import Synchronization
import Testing
import Timeline

@testable import Recorder

@Suite("A segment that is not whole")
struct DamagedSegmentTests {
    private static let cut = [UInt8](repeating: 0x47, count: 100)

    private func request(_ origin: Origin) throws -> SegmentRequest {
        var request = Ciphered.lastTry("7.ts", at: try origin.url("/index.m3u8"))
        (request.attempt, request.isLast) = (1, false)
        return request
    }

    private func revision(_ stored: StoredSegment?) -> Int16? {
        guard let stored, case .segment(_, _, let name) = stored.object.key else { return nil }
        return name.revision
    }

    @Test(
        "is stored as it comes; more of it, and all of it, is another revision; the same is not stored again")
    func better() async throws {
        try await Origin.run { origin in
            let store = MemorySegmentStore()
            let fetcher = try origin.fetcher(store: store)
            var request = try request(origin)
            var revisions: [Int16?] = []
            let bodies = [
                SmallStream.pictures(10) + Self.cut, SmallStream.pictures(10) + Self.cut,
                SmallStream.pictures(9) + Self.cut, SmallStream.pictures(20) + Self.cut,
                SmallStream.pictures(25), SmallStream.pictures(25),
            ]
            for body in bodies {
                origin.serve("/7.ts", body)
                let outcome = await fetcher.outcome(of: request)
                revisions.append(revision(outcome.stored))
                if let stored = outcome.stored {
                    #expect(try await store.read(stored.object.key) == body)
                    #expect(stored.flags.contains(.damaged) == (body.count % 188 != 0))
                    #expect((stored.measuredDuration == nil) == (body.count % 188 != 0))
                    request.held = IncompleteSegment(stored)
                } else {
                    #expect(outcome.failure?.isTransient == true)
                }
                request.attempt += 1
            }
            #expect(revisions == [0, nil, nil, 1, 2, nil])
        }
    }

    @Test("is replaced by whole bytes that are no longer")
    func sameLength() async throws {
        try await Origin.run { origin in
            let fetcher = try origin.fetcher(store: MemorySegmentStore())
            var request = try request(origin)
            var broken = SmallStream.pictures(10)
            broken[5 * 188] = 0
            origin.serve("/7.ts", broken)
            let part = try #require(await fetcher.outcome(of: request).stored)
            #expect(part.flags.contains(.damaged))
            request.held = IncompleteSegment(part)
            origin.serve("/7.ts", SmallStream.pictures(10))
            let whole = try #require(await fetcher.outcome(of: request).stored)
            #expect(revision(whole) == 1 && !whole.flags.contains(.damaged))
        }
    }

    @Test("and whose body ends before it should is kept from the second try on")
    func cutBody() async throws {
        try await Origin.run { origin in
            let store = MemorySegmentStore()
            let fetcher = try origin.fetcher(store: store)
            var request = try request(origin)
            request.segment.entry.byteRange = ByteRange(length: 3000, offset: 0)
            origin.serve("/7.ts", SmallStream.pictures(10))
            #expect(await fetcher.outcome(of: request).failure?.reason == .segmentCorrupt)
            request.attempt = 2
            let stored = try #require(await fetcher.outcome(of: request).stored)
            #expect(stored.flags.contains(.damaged) && stored.plainBytes == 1880)
            #expect(try await store.read(stored.object.key) == SmallStream.pictures(10))
        }
    }

    @Test("and whose body is shorter than its Content-Length is kept from the second try on, and replaced")
    func shorterThanAnnounced() async throws {
        try await Origin.run { origin in
            let store = MemorySegmentStore()
            let fetcher = try origin.fetcher(store: store)
            var request = try request(origin)
            let (part, whole) = (SmallStream.pictures(10), SmallStream.pictures(25))
            origin.serve("/7.ts", part, announcing: UInt64(whole.count))
            let failure = try #require(await fetcher.outcome(of: request).failure)
            #expect(failure.isTransient && failure.description.contains("1880 of 4700 bytes"), "\(failure)")
            request.attempt = 2
            let stored = try #require(await fetcher.outcome(of: request).stored)
            #expect(stored.flags.contains(.damaged) && revision(stored) == 0)
            #expect(try await store.read(stored.object.key) == part)
            request.held = IncompleteSegment(stored)
            origin.serve("/7.ts", whole)
            let better = try #require(await fetcher.outcome(of: request).stored)
            #expect(!better.flags.contains(.damaged) && revision(better) == 1)
        }
    }

    @Test("is asked for the second time on a connection of its own")
    func freshConnection() async throws {
        var open: [Int] = []
        // Where other tests delay the second request, the first connection has become too old to be kept.
        for _ in 0..<5 where open != [1, 2] { open = try await openConnections() }
        #expect(open == [1, 2])
    }

    /// How many connections the origin has at the first and at the second request; what is read to its end
    /// keeps its connection.
    private func openConnections() async throws -> [Int] {
        let open = Mutex<[Int]>([])
        try await Origin.run { origin in
            let fetcher = try origin.fetcher(store: MemorySegmentStore())
            var request = try request(origin)
            origin.serve("/7.ts") { _ in
                open.withLock { $0.append(origin.openConnections) }
                return SmallStream.pictures(10) + Self.cut
            }
            for attempt in 1...2 {
                request.attempt = attempt
                #expect(await fetcher.outcome(of: request).stored != nil)
            }
        }
        return open.withLock { $0 }
    }

    @Test("is asked of the origin then, and not of caches")
    func caches() async throws {
        try await Origin.run { origin in
            let fetcher = try origin.fetcher(store: MemorySegmentStore())
            var request = try request(origin)
            origin.serve("/7.ts", SmallStream.pictures(10) + Self.cut)
            let part = try #require(await fetcher.outcome(of: request).stored)
            origin.serve("/7.ts", "", [:], unchangedIf: ("Cache-Control", "no-cache"))
            request.held = IncompleteSegment(part)
            #expect(await fetcher.outcome(of: request).failure?.description.contains("304") == true)
        }
    }

    @Test("is tried for at once, then after growing pauses, none longer than half a minute")
    func pauses() throws {
        var request = Ciphered.lastTry("7.ts", at: try HTTPURL("http://one.test/index.m3u8"))
        let stored = PartialSegmentTests.stored(request.segment, measured: 1, timestamp: nil)
        request.held = IncompleteSegment(stored)
        var pauses: [Duration] = []
        for attempt in 1...10 {
            request.attempt = attempt
            pauses.append(request.pause)
        }
        let milliseconds = [200, 400, 800, 1600, 6000, 12_000, 24_000, 30_000, 30_000, 30_000]
        #expect(pauses == milliseconds.map { .milliseconds($0) })
    }
}
