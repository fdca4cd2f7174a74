import Digest
import HLS
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

    /// Serves a segment without its last 16 bytes, and a whole one that comes later.
    private func serve(_ origin: Origin) throws {
        let whole = try Ciphered.encrypted(plain)
        origin.serve("/7.vtt", Array(whole.dropLast(16)))
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

    @Test("is kept after five tries, as far as it goes", arguments: [EncryptionChoice.keep, .clear])
    func kept(encryption: EncryptionChoice) async throws {
        try await Origin.run { origin in
            try serve(origin)
            let store = MemorySegmentStore()
            let fetcher = try origin.fetcher(store: store, encryption: encryption)
            var request = try request(7, origin)
            let first = await fetcher.outcome(of: request).failure
            #expect(first?.reason == .keyMissing)
            #expect(await fetcher.outcome(of: try self.request(8, origin)).stored?.flags == [])
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
            #expect(stored?.flags == .damaged && stored?.plainBytes == Int64(part.count))
            let bytes = try await store.read(object.key)
            #expect(try encryption == .keep ? opened(bytes) == part : bytes == part)
            #expect(origin.requests(for: "/key") == 2)
        }
    }

    @Test(
        "is kept as far as it came where every transfer is cut, also of a range",
        arguments: [EncryptionChoice.keep, .clear], [false, true])
    func cut(encryption: EncryptionChoice, isRange: Bool) async throws {
        try await Origin.run { origin in
            try serve(origin)
            let whole = try Ciphered.encrypted(plain)
            // Seven bytes of the last block but one do not come, nor does that behind it.
            origin.serve("/7.vtt", Array(whole.dropLast(16 + 7)), announcing: UInt64(whole.count))
            let store = MemorySegmentStore()
            let fetcher = try origin.fetcher(store: store, encryption: encryption)
            #expect(await fetcher.outcome(of: try self.request(8, origin)).stored?.flags == [])
            var request = try request(7, origin)
            if isRange {
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

    @Test("does not wait for another key once later segments were opened")
    func pending() async throws {
        try await Origin.run { origin in
            try serve(origin)
            let store = MemorySegmentStore()
            let fetcher = try origin.fetcher(store: store)
            var last = try request(7, origin)
            (last.attempt, last.isLast) = (3, true)
            let pending = try #require(await fetcher.outcome(of: last).pending)
            #expect(await fetcher.outcome(of: try request(8, origin)).stored != nil)
            let stored = try await fetcher.open(pending)
            #expect(stored.flags.contains(.damaged))
            #expect(try opened(await store.read(stored.object.key)) == part)
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
            (request.held, request.attempt, request.isLast) = (StoredPart(part), 9, true)
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
