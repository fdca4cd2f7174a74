import HLS
import SegmentStore
import Testing
import Timeline

@testable import Recorder

@Suite("A key that the playlist has itself, in a data: URI")
struct KeyInPlaylistTests {
    /// The bytes 1 to 16 in base64.
    private static let uri = "data:text/plain;base64,AQIDBAUGBwgJCgsMDQ4PEA=="

    private func lastTry(
        _ uri: String, _ origin: Origin, _ fetcher: SegmentFetcher,
    ) async throws -> Result<SegmentFetcher.Fetched, FetchFailure> {
        let keys = [Key(method: .aes128, uri: uri)]
        return await fetcher.outcome(
            of: Ciphered.lastTry("7.vtt", keys: keys, at: try origin.url("/index.m3u8")))
    }

    @Test("opens the segment, and is in the archive like any other")
    func opens() async throws {
        try await Origin.run { origin in
            let bytes = try Ciphered.encrypted(Ciphered.subtitles(comments: 200))
            origin.serve("/7.vtt", bytes)
            let store = MemorySegmentStore()
            let stored = try #require(
                try await lastTry(Self.uri, origin, try origin.fetcher(store: store)).stored)
            let name = try Ciphered.name(of: Ciphered.key)
            #expect(stored.format.keyName == name)
            #expect(stored.format.container == .webVTT)
            #expect(try await store.read(stored.object.key) == bytes)
            let channel = PublisherStage.fact(video(0), 0).channel
            #expect(try await store.read(.key(channel, name)) == Ciphered.key)
        }
    }

    @Test("leaves the segment waiting if it is another one's")
    func wrong() async throws {
        try await Origin.run { origin in
            origin.serve("/7.vtt", try Ciphered.encrypted(Ciphered.subtitles(comments: 200)))
            let fetcher = try origin.fetcher(store: MemorySegmentStore())
            let other = "data:;base64,CQkJCQkJCQkJCQkJCQkJCQ=="
            let pending = try #require(try await lastTry(other, origin, fetcher).pending)
            let failure = await #expect(throws: FetchFailure.self) { try await fetcher.open(pending) }
            #expect(failure?.failsToDecrypt == true)
        }
    }

    @Test(
        "is missing if the URI does not hold 16 bytes, and no try will find it",
        arguments: [
            "data:", "data:,0123456789abcde", "data:;base64,AQIDBAUGBwgJCgsMDQ4P", "data:;base64,####",
            "data:text/plain;x=\(String(repeating: "x", count: 5000));base64,AQIDBAUGBwgJCgsMDQ4PEA==",
        ])
    func unusable(uri: String) async throws {
        try await Origin.run { origin in
            origin.serve("/7.vtt", try Ciphered.encrypted(Ciphered.subtitles(comments: 2)))
            let failure = try await lastTry(uri, origin, try origin.fetcher(store: MemorySegmentStore()))
                .failure
            #expect(failure?.reason == .keyMissing && failure?.isTransient == false)
            #expect(failure?.description.contains("data: URI") == true)
        }
    }
}
