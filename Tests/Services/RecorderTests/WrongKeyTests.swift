import Digest
import HLS
import HTTP
@testable import Journal
import SegmentStore
import TestSupport
import Testing
import Timeline

@testable import Recorder

@Suite("A key that is not the segment's")
struct WrongKeyTests {
    private let keys = [Key(method: .aes128, uri: "key")]

    /// The last try for a segment.
    private func lastTry(
        _ origin: Origin, _ fetcher: SegmentFetcher,
    ) async throws -> Result<SegmentFetcher.Fetched, FetchFailure> {
        await fetcher.outcome(of: Ciphered.lastTry("7.vtt", keys: keys, at: try origin.url("/index.m3u8")))
    }

    @Test("leaves the segment waiting for the right one, be it short or long", arguments: [2, 200])
    func waits(comments: Int) async throws {
        try await Origin.run { origin in
            let bytes = try Ciphered.encrypted(Ciphered.subtitles(comments: comments))
            origin.serve("/7.vtt", bytes)
            origin.serve("/key", Ciphered.otherKey)
            let (store, clock) = (MemorySegmentStore(), TestClock())
            let fetcher = try origin.fetcher(store: store, clock: clock.clock)
            let pending = try #require(try await lastTry(origin, fetcher).pending)
            let failure = await #expect(throws: FetchFailure.self) { try await fetcher.open(pending) }
            #expect(failure?.failsToDecrypt == true)
            origin.serve("/key", Ciphered.key)
            clock.pass(1)
            _ = await #expect(throws: FetchFailure.self) { try await fetcher.open(pending) }
            let stored = try await fetcher.open(pending)
            let name = try Ciphered.name(of: Ciphered.key)
            #expect(stored.format.keyName == name)
            #expect(stored.format.container == .webVTT)
            #expect(try await store.read(stored.object.key) == bytes)
        }
    }

    @Test(
        "leaves the segment waiting after five tries, however long the source holds it", arguments: [2, 200])
    func keptEarly(comments: Int) async throws {
        try await Origin.run { origin in
            origin.serve("/7.vtt", try Ciphered.encrypted(Ciphered.subtitles(comments: comments)))
            origin.serve("/key", Ciphered.otherKey)
            let fetcher = try origin.fetcher(store: MemorySegmentStore())
            var request = Ciphered.lastTry("7.vtt", keys: keys, at: try origin.url("/index.m3u8"))
            (request.attempt, request.isLast) = (Limits.triesForWhole - 1, false)
            #expect(await fetcher.outcome(of: request).failure?.reason == .keyMissing)
            request.attempt += 1
            #expect(await fetcher.outcome(of: request).pending != nil)
        }
    }

    @Test("is not blamed for a segment of which the beginning can be read")
    func cut() async throws {
        try await Origin.run { origin in
            let whole = try Ciphered.encrypted(Ciphered.subtitles(comments: 200))
            origin.serve("/7.vtt", Array(whole.dropLast(16)))
            origin.serve("/key", Ciphered.key)
            let fetcher = try origin.fetcher(store: MemorySegmentStore())
            var request = Ciphered.lastTry("7.vtt", keys: keys, at: try origin.url("/index.m3u8"))
            (request.attempt, request.isLast) = (Limits.triesForWhole, false)
            #expect(await fetcher.outcome(of: request).failure?.reason == .segmentCorrupt)
            origin.serve("/7.vtt", whole)
            request.attempt += 1
            #expect(await fetcher.outcome(of: request).stored != nil)
        }
    }

    @Test("is requested again by the next try")
    func askedAnew() async throws {
        try await Origin.run { origin in
            origin.serve("/7.vtt", try Ciphered.encrypted(Ciphered.subtitles(comments: 200)))
            origin.serve("/key", Ciphered.otherKey)
            let fetcher = try origin.fetcher(store: MemorySegmentStore())
            var first = Ciphered.lastTry("7.vtt", keys: keys, at: try origin.url("/index.m3u8"))
            (first.attempt, first.isLast) = (1, false)
            let failure = await fetcher.outcome(of: first).failure
            #expect(failure?.reason == .keyMissing && failure?.isTransient == true)
            origin.serve("/key", Ciphered.key)
            #expect(try await lastTry(origin, fetcher).stored != nil)
        }
    }

    /// The pauses are half a second, one second and two.
    @Test("is requested once in each of the pauses, which grow")
    func pauses() async throws {
        try await Origin.run { origin in
            origin.serve("/7.vtt", try Ciphered.encrypted(Ciphered.subtitles(comments: 200)))
            origin.serve("/key", Ciphered.otherKey)
            let clock = TestClock()
            let fetcher = try origin.fetcher(store: MemorySegmentStore(), clock: clock.clock)
            var request = Ciphered.lastTry("7.vtt", keys: keys, at: try origin.url("/index.m3u8"))
            (request.attempt, request.isLast) = (1, false)
            var counts: [Int] = []
            for _ in 0..<5 {
                for _ in 0..<4 { _ = await fetcher.outcome(of: request) }
                counts.append(origin.requests(for: "/key"))
                clock.pass(0.6)
            }
            #expect(counts == [2, 3, 3, 4, 4])
        }
    }

    /// A segment under a key, with the vector of all of these tests.
    private func serve(_ number: Int64, under key: [UInt8], _ origin: Origin) throws -> SegmentRequest {
        var cipher = try AES128CBC(.encrypt, key: key, iv: Ciphered.iv)
        let head = try cipher.update(Ciphered.subtitles(comments: 200))
        origin.serve("/\(number).vtt", head + (try cipher.finish()))
        let keys = [Key(method: .aes128, uri: "key", initializationVector: 7)]
        var request = Ciphered.lastTry("\(number).vtt", keys: keys, at: try origin.url("/index.m3u8"))
        request.segment.placed.identity.number = number
        request.segment.placed.start = at(Double(number) * 6)
        (request.attempt, request.isLast) = (1, false)
        return request
    }

    @Test("gives way to the one that its URL had before, for a segment from then", arguments: [false, true])
    func changed(isWaiting: Bool) async throws {
        try await Origin.run { origin in
            let fetcher = try origin.fetcher(store: MemorySegmentStore())
            let requests = try [Ciphered.key, Ciphered.key, Ciphered.otherKey].enumerated().map {
                try serve(Int64($0.offset + 1), under: $0.element, origin)
            }
            origin.serve("/key", Ciphered.key)
            #expect(await fetcher.outcome(of: requests[0]).stored != nil)
            origin.serve("/key", Ciphered.otherKey)
            #expect(await fetcher.outcome(of: requests[2]).failure?.failsToDecrypt == true)
            #expect(await fetcher.outcome(of: requests[2]).stored != nil)
            var stored: StoredSegment?
            if isWaiting {
                let prerequisites = try await fetcher.prerequisites(
                    of: requests[1].segment, base: requests[1].base, asksForKeys: false)
                let pending = try await fetcher.storeEncrypted(requests[1], prerequisites)
                stored = try await fetcher.open(pending)
            } else {
                stored = await fetcher.outcome(of: requests[1]).stored
            }
            let name = try Ciphered.name(of: Ciphered.key)
            #expect(stored?.format.keyName == name)
            #expect(stored?.flags == [])
        }
    }

    @Test("does not keep what cannot be a segment under any key")
    func unaligned() async throws {
        try await Origin.run { origin in
            origin.serve("/7.vtt", [UInt8](repeating: 0x20, count: 1001))
            origin.serve("/key", Ciphered.key)
            let fetcher = try origin.fetcher(store: MemorySegmentStore())
            #expect(try await lastTry(origin, fetcher).failure?.reason == .segmentCorrupt)
        }
    }

    @Test("keeps no segment waiting but those that it does not open")
    func others() throws {
        var driver = try StateDriver([SourceSettings(url: "http://one.test/index.m3u8")])
        var waiting: [KeyPendingSegment] = []
        for request in try opened(&driver) {
            let segment = pending(request.segment)
            waiting.append(segment)
            driver.send(.segmentKeyMissed(segment, request), at: 20)
        }
        var opened: [SegmentIdentity] = []
        for time in stride(from: 21.0, to: 60, by: 0.5) {
            var actions = driver.send(.clockAdvanced, at: time)
            while let segment = actions.segmentsToOpen.first {
                opened.append(segment.identity)
                let isFirst = segment.identity == waiting.first?.identity
                let result: Result<StoredSegment, FetchFailure> =
                    isFirst ? .failure(.undecryptable("padding")) : .success(stored(segment))
                actions = driver.send(.pendingSegmentOpened(result, segment), at: time)
            }
        }
        #expect(opened.count { $0 == waiting[1].identity } == 1)
        #expect(opened.count { $0 == waiting[0].identity } > 2)
    }

    private func opened(_ driver: inout StateDriver) throws -> [SegmentRequest] {
        let read = driver.send(.journalRead(.success([])), at: 0)
        let request = try #require(read.playlistRequests.first)
        let playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n0.ts\n#EXTINF:6,\n1.ts\n"
        return try driver.answer(request, playlist, at: 12).compactMap {
            if case .fetchSegment(let request) = $0 { request } else { nil }
        }
    }

    private func pending(_ listed: ListedSegment) -> KeyPendingSegment {
        KeyPendingSegment(
            channel: PublisherStage.fact(video(0), 0).channel, identity: listed.identity,
            start: listed.placed.start, duration: listed.placed.duration, container: .transportStream,
            cipher: .init(keyURL: "http://one.test/key", iv: Ciphered.iv), arrived: listed.arrival, source: ""
        )
    }

    private func stored(_ segment: KeyPendingSegment) -> StoredSegment {
        StoredSegment(
            object: CommittedObject(key: segment.key, byteCount: 1, digest: [1], wasThere: true),
            format: SegmentFormat(container: .transportStream), flags: [], plainBytes: 1)
    }
}
