import Digest
import HLS
import HTTP
import HTTPServer
import SegmentStore
import TestSupport
import Testing
import Timeline

@testable import Recorder

@Suite("A segment under the right key that is not whole")
struct DamagedUnderKeyTests {
    private let keys = [Key(method: .aes128, uri: "key", initializationVector: 7)]
    private let plain = Ciphered.subtitles(comments: 200)
    /// What lies before the last block that came: that one may be padding.
    private var part: [UInt8] { Array(plain.prefix(3184)) }

    /// Serves a segment without its last bytes, and a whole one that comes later.
    private func serve(_ origin: Origin, without missing: Int = 16) throws {
        let whole = try Ciphered.encrypted(plain)
        origin.serve("/7.vtt", Array(whole.dropLast(missing)))
        origin.serve("/8.vtt", whole)
        origin.serve("/key", Ciphered.key)
    }

    private func request(_ number: Int64, _ origin: Origin) throws -> SegmentRequest {
        var request = Ciphered.lastTry("\(number).vtt", keys: keys, at: try origin.url("/index.m3u8"))
        request.segment.placed.identity.number = number
        request.segment.placed.start = at(Double(number) * 6)
        (request.attempt, request.isLast) = (1, false)
        return request
    }

    private func opened(_ bytes: [UInt8]) throws -> [UInt8] {
        var cipher = try AES128CBC(.decrypt, key: Ciphered.key, iv: Ciphered.iv)
        let head = try cipher.update(bytes)
        return head + (try cipher.finish())
    }

    @Test(
        "is kept after five tries, as far as it goes, also where its key opens no later segment",
        arguments: [EncryptionChoice.keep, .clear], [(16, true), (16, false), (7, false)])
    func kept(encryption: EncryptionChoice, _ given: (missing: Int, isOpenedLater: Bool)) async throws {
        try await Origin.run { origin in
            try serve(origin, without: given.missing)
            let store = MemorySegmentStore()
            let fetcher = try origin.fetcher(store: store, encryption: encryption)
            var request = try request(7, origin)
            let first = await fetcher.outcome(of: request).failure
            #expect(first?.reason == .segmentCorrupt)
            if given.isOpenedLater {
                #expect(await fetcher.outcome(of: try self.request(8, origin)).stored?.flags == [])
            }
            var stored: StoredSegment?
            while stored == nil, request.attempt < 9 {
                request.attempt += 1
                let outcome = await fetcher.outcome(of: request)
                stored = outcome.stored
                guard stored == nil else { break }
                #expect(outcome.failure?.reason == .segmentCorrupt && outcome.failure?.isTransient == true)
                request.damagedByteCount = outcome.failure?.damagedByteCount
            }
            #expect(request.attempt == Limits.triesForWhole)
            let object = try #require(stored?.object)
            let bytes = try await store.read(object.key)
            let kept = encryption == .keep ? try opened(bytes) : bytes
            #expect(kept.count >= part.count && kept == Array(plain.prefix(kept.count)))
            #expect(stored?.flags == .damaged && stored?.plainBytes == Int64(kept.count))
            #expect(origin.requests(for: "/key") == 1)
        }
    }

    @Test(
        "is kept as far as it came where every transfer is cut, also of a range",
        arguments: [EncryptionChoice.keep, .clear], [(false, true), (true, true), (false, false)])
    func cut(encryption: EncryptionChoice, _ given: (isRange: Bool, isOpenedLater: Bool)) async throws {
        try await Origin.run { origin in
            try serve(origin)
            let whole = try Ciphered.encrypted(plain)
            // Seven bytes of the last block but one do not come, nor does that behind it.
            origin.serve("/7.vtt", Array(whole.dropLast(16 + 7)), announcing: UInt64(whole.count))
            let store = MemorySegmentStore()
            let fetcher = try origin.fetcher(store: store, encryption: encryption)
            if given.isOpenedLater {
                #expect(await fetcher.outcome(of: try self.request(8, origin)).stored?.flags == [])
            }
            var request = try request(7, origin)
            if given.isRange {
                request.segment.entry.byteRange = HLS.ByteRange(length: UInt64(whole.count), offset: 0)
            }
            let first = await fetcher.outcome(of: request).failure
            #expect(first?.isCut == true && first?.isTransient == true)
            (request.attempt, request.isLast) = (3, true)
            let stored = try #require(await fetcher.outcome(of: request).stored)
            #expect(stored.flags == .damaged)
            let bytes = try await store.read(stored.object.key)
            let came = encryption == .keep ? try opened(bytes) : bytes
            #expect(came.count > 3000 && came == Array(plain.prefix(came.count)))
            #expect(origin.requests(for: "/key") == 1)
        }
    }

    @Test(
        "does not wait for another key once the right one came, be it with another token",
        arguments: [(false, nil), (true, nil), (false, "token=b")] as [(Bool, String?)])
    func pending(isOpenedLater: Bool, token: String?) async throws {
        try await Origin.run { origin in
            try serve(origin)
            origin.serve("/key", .notFound)
            let store = MemorySegmentStore()
            let clock = TestClock()
            let fetcher = try origin.fetcher(store: store, clock: clock.clock)
            var last = try request(7, origin)
            (last.attempt, last.isLast) = (3, true)
            if token != nil { last.segment.entry.keys[0].uri = "key?token=a" }
            let pending = try #require(await fetcher.outcome(of: last).pending)
            clock.pass(10)
            origin.serve(
                "/key",
                byQuery: { query in
                    guard query == token else { return HTTPResponse(status: .notFound) }
                    return HTTPResponse(status: .ok, body: .bytes(Ciphered.key))
                })
            if isOpenedLater { #expect(await fetcher.outcome(of: try request(8, origin)).stored != nil) }
            if let token {
                var earlier = try request(6, origin)
                earlier.segment.entry.uri = "8.vtt"
                earlier.segment.entry.keys = [
                    Key(method: .aes128, uri: "key?\(token)", initializationVector: 7)
                ]
                #expect(await fetcher.outcome(of: earlier).stored != nil)
            }
            let stored = try await fetcher.open(pending)
            #expect(stored.flags.contains(.damaged))
            #expect(try opened(await store.read(stored.object.key)) == part)
        }
    }

    @Test(
        "waits for another key where it only begins as media do that a wrong key may make by chance",
        arguments: [[0xFF, 0xF1, 0x4C, 0x80, 0x40, 0x1F, 0xFC], [0x47] + [UInt8](repeating: 0, count: 187)])
    func chance(beginning: [UInt8]) async throws {
        try await Origin.run { origin in
            let bytes = beginning + beginning + [UInt8](repeating: 0x5A, count: 600)
            origin.serve("/7.vtt", Array(try Ciphered.encrypted(bytes).dropLast(16)))
            origin.serve("/key", Ciphered.key)
            var last = try request(7, origin)
            (last.attempt, last.isLast) = (9, true)
            let fetcher = try origin.fetcher(store: MemorySegmentStore())
            let pending = try #require(await fetcher.outcome(of: last).pending)
            _ = await #expect(throws: FetchFailure.self) { try await fetcher.open(pending) }
            // Nor is it kept where the transfer is cut.
            origin.serve("/7.vtt", Array(try Ciphered.encrypted(bytes).dropLast(16)), announcing: 9000)
            #expect(await fetcher.outcome(of: last).failure?.isCut == true)
        }
    }

    @Test(
        "stays as it is stored, and waits for no key, where the key is missing or another one later",
        arguments: [[], Ciphered.otherKey])
    func laterKey(_ key: [UInt8]) async throws {
        try await Origin.run { origin in
            try serve(origin)
            let store = MemorySegmentStore()
            #expect(
                await (try origin.fetcher(store: store)).outcome(of: try request(8, origin)).stored != nil)
            var request = try request(7, origin)
            let part = PartialSegmentTests.stored(request.segment, measured: nil, timestamp: nil)
            (request.held, request.attempt, request.isLast) = (IncompleteSegment(part), 9, true)
            origin.serve("/7.vtt", try Ciphered.encrypted(plain))
            origin.serve("/key", key)
            let failure = await (try origin.fetcher(store: store)).outcome(of: request).failure
            #expect(failure?.reason == .keyMissing && failure?.isTransient == true)
            let better = SegmentName(start: request.segment.placed.start, revision: 0, fileExtension: .webVTT)
            let channel = PublisherStage.fact(video(0), 0).channel
            #expect(try await !store.contains(.segment(channel, video(0), better)))
        }
    }

    @Test("is lost as damaged, not for a missing key, where its bytes are no media")
    func noMedia() async throws {
        try await Origin.run { origin in
            try serve(origin)
            origin.serve("/7.vtt", [UInt8](repeating: 0x20, count: 1600))
            let fetcher = try origin.fetcher(store: MemorySegmentStore())
            #expect(await fetcher.outcome(of: try request(8, origin)).stored != nil)
            var last = try request(7, origin)
            (last.attempt, last.isLast) = (9, true)
            #expect(await fetcher.outcome(of: last).failure?.reason == .segmentCorrupt)
        }
    }

    @Test("is read with the number that its playlist gives it")
    func ownNumber() async throws {
        try await Origin.run { origin in
            try serve(origin)
            let store = MemorySegmentStore()
            let fetcher = try origin.fetcher(store: store)
            var request = try request(10, origin)
            request.segment.entry.uri = "8.vtt"
            request.segment.entry.keys = [Key(method: .aes128, uri: "key")]
            request.segment.listedNumber = 7
            #expect(await fetcher.outcome(of: request).stored?.iv == Ciphered.iv)
        }
    }
}
