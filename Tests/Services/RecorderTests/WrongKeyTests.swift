import HLS
import HTTP
import SegmentStore
import TestSupport
import Testing
import Timeline

@testable import Recorder

@Suite("A key that is not the segment's")
struct WrongKeyTests {
    private let keys = [Key(method: .aes128, uri: "key")]

    /// The last try for a segment.
    private func lastTry(_ origin: Origin, _ fetcher: SegmentFetcher) async throws -> SegmentFetcher.Outcome {
        await fetcher.store(
            Ciphered.listed("7.vtt", keys: keys), base: try origin.url("/index.m3u8"), attempt: 3)
    }

    @Test("leaves the segment waiting for the right one, be it short or long", arguments: [2, 200])
    func waits(comments: Int) async throws {
        try await Origin.run { origin in
            let bytes = try Ciphered.encrypted(Ciphered.subtitles(comments: comments))
            origin.serve("/7.vtt", bytes)
            origin.serve("/key", Ciphered.otherKey)
            let store = MemorySegmentStore()
            let fetcher = try origin.fetcher(store: store)
            let pending = try #require(try await lastTry(origin, fetcher).pending)
            let failure = await #expect(throws: FetchFailure.self) { try await fetcher.open(pending) }
            #expect(failure?.isUnopened == true)
            origin.serve("/key", Ciphered.key)
            let stored = try await fetcher.open(pending)
            let name = try Ciphered.name(of: Ciphered.key)
            #expect(stored.format.keyName == name)
            #expect(stored.format.container == .webVTT)
            #expect(try await store.read(stored.object.key) == bytes)
        }
    }

    @Test("is asked for anew by the next try")
    func askedAnew() async throws {
        try await Origin.run { origin in
            origin.serve("/7.vtt", try Ciphered.encrypted(Ciphered.subtitles(comments: 200)))
            origin.serve("/key", Ciphered.otherKey)
            let fetcher = try origin.fetcher(store: MemorySegmentStore())
            let listed = Ciphered.listed("7.vtt", keys: keys)
            let first = await fetcher.store(listed, base: try origin.url("/index.m3u8"), attempt: 1)
            guard case .again = first else {
                Issue.record("there is no second try")
                return
            }
            origin.serve("/key", Ciphered.key)
            #expect(try await lastTry(origin, fetcher).stored != nil)
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
    func others() async throws {
        try await House.run { house in
            try await Origin.run { origin in
                origin.serve("/key", Ciphered.key)
                let process = try await RecordingProcess(house, opening: [video(0)])
                let room = KeyRoom(recorder: process.recorder)
                let whole = try Ciphered.encrypted(Ciphered.subtitles(comments: 200))
                // Without its last block a body is still of whole blocks, and no key opens it.
                for (listed, bytes) in zip(await process.list(0...1), [whole.dropLast(16), whole[...]]) {
                    let segment = try pending(listed, origin)
                    try await process.parts.store.put(Array(bytes), as: segment.key)
                    try await process.recorder.keyPending(segment)
                    await room.add(segment, fetcher: try origin.fetcher(store: process.parts.store))
                }
                let asking = Task { await room.run() }
                try await eventually("the one that the key opens") {
                    await process.recorder.keyPendings.lines.keys.map(\.number) == [0]
                }
                asking.cancel()
                await asking.value
                await process.kill()
            }
        }
    }

    private func pending(_ listed: ListedSegment, _ origin: Origin) throws -> KeyPendingSegment {
        KeyPendingSegment(
            channel: PublisherStage.fact(video(0), 0).channel, identity: listed.identity,
            start: listed.start, duration: listed.duration, container: .transportStream,
            cipher: .init(keyURL: try origin.url("/key").absoluteString, iv: Ciphered.iv),
            arrived: listed.arrival, source: "")
    }
}
