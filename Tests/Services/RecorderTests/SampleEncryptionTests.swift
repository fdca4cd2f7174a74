import Foundation
import HLS
import SegmentStore
import Testing
import Timeline

@testable import Recorder

/// A fragment without samples: boxes are clear under sample encryption (ISO 23001-7).
private let fragment = box("moof", []) + box("mdat", [1, 2, 3, 4])
private let page = Array("<html><body>Sign in</body></html>".utf8)

private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    [0, 0, 0, UInt8(8 + content.count)] + Array(type.utf8) + content
}

/// The last try for a segment under a key.
private func lastTry(
    _ origin: Origin, _ key: Key, store: MemorySegmentStore = MemorySegmentStore(),
    encryption: EncryptionChoice = .keep,
) async throws -> Result<SegmentFetcher.Fetched, FetchFailure> {
    try await origin.fetcher(store: store, encryption: encryption).outcome(
        of: Ciphered.lastTry("7.m4s", keys: [key], at: origin.url("/index.m3u8")))
}

@Suite("Sample encryption with keys that can be had")
struct SampleEncryptionTests {
    /// SAMPLE-AES-CTR has its vectors in the fragments (RFC 8216bis §4.4.4.4).
    private static let samples: [(method: Key.Method, vector: [UInt8]?)] = [
        (.sampleAES, Ciphered.iv), (.sampleAESCTR, nil),
    ]

    @Test(
        "leaves the segment as it came, with its key beside it", arguments: samples,
        EncryptionChoice.allCases)
    func recorded(
        sample: (method: Key.Method, vector: [UInt8]?), encryption: EncryptionChoice,
    ) async throws {
        try await Origin.run { origin in
            origin.serve("/7.m4s", fragment)
            origin.serve("/key", Ciphered.key)
            let store = MemorySegmentStore()
            let outcome = try await lastTry(
                origin, Key(method: sample.method, uri: "key"), store: store, encryption: encryption)
            let stored = try #require(outcome.stored)
            let name = try Ciphered.name(of: Ciphered.key)
            #expect(stored.format.keyMethod == sample.method.rawValue)
            #expect(stored.format.keyName == name)
            #expect(stored.iv == sample.vector)
            #expect(try await store.read(stored.object.key) == fragment)
            let key = ArchiveKey.key(PublisherStage.fact(video(0), 0).channel, name)
            #expect(try await store.read(key) == Ciphered.key)
        }
    }

    @Test("lets the segment wait for its key, also behind a restart")
    func waits() async throws {
        try await Origin.run { origin in
            origin.serve("/7.m4s", fragment)
            let store = MemorySegmentStore()
            let outcome = try await lastTry(origin, Key(method: .sampleAES, uri: "key"), store: store)
            let pending = try #require(outcome.pending)
            let line = try JSONEncoder().encode(pending)
            origin.serve("/key", Ciphered.key)
            let stored = try await origin.fetcher(store: store).open(
                try JSONDecoder().decode(KeyPendingSegment.self, from: line))
            let name = try Ciphered.name(of: Ciphered.key)
            #expect(stored.format.keyMethod == "SAMPLE-AES")
            #expect(stored.format.keyName == name)
            #expect(stored.iv == Ciphered.iv)
            #expect(try await store.read(stored.object.key) == fragment)
        }
    }

    @Test(
        "asks for the key again behind a discontinuity, where it may be another under the same URL",
        arguments: [Key.Method.sampleAES, .sampleAESCTR])
    func changedKey(method: Key.Method) async throws {
        try await Origin.run { origin in
            origin.serve("/7.m4s", fragment)
            let fetcher = try origin.fetcher(store: MemorySegmentStore())
            var request = Ciphered.lastTry(
                "7.m4s", keys: [Key(method: method, uri: "key")], at: try origin.url("/index.m3u8"))
            var names: [String?] = []
            for (key, domain) in [(Ciphered.key, 0), (Ciphered.otherKey, 0), (Ciphered.otherKey, 1)] {
                origin.serve("/key", key)
                request.segment.discontinuityCount = domain
                names.append(await fetcher.outcome(of: request).stored?.format.keyName)
            }
            let (name, other) = try (
                Ciphered.name(of: Ciphered.key), Ciphered.name(of: Ciphered.otherKey)
            )
            #expect(names == [name, name, other])
            #expect(origin.requests(for: "/key") == 2)
        }
    }

    @Test("is recorded without a key that no HTTP request gets")
    func foreign() async throws {
        try await Origin.run { origin in
            origin.serve("/7.m4s", fragment)
            let stored = try await lastTry(origin, Key(method: .sampleAES, uri: "skd://1")).stored
            #expect(stored?.format.keyMethod == "SAMPLE-AES")
            #expect(stored?.format.keyName == nil)
        }
    }
}

@Suite("Segments of DRM systems")
struct ForeignKeyTests {
    private static func key(_ method: Key.Method) -> Key {
        Key(method: method, uri: "data:,", keyFormat: "urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed")
    }

    @Test(
        "are looked into where only their samples are encrypted",
        arguments: [Key.Method.sampleAES, .sampleAESCTR])
    func clearBoxes(method: Key.Method) async throws {
        try await Origin.run { origin in
            origin.serve("/7.m4s", fragment)
            let stored = try #require(try await lastTry(origin, Self.key(method)).stored)
            #expect(stored.format.container == .fragmentedMP4)
            #expect(stored.format.keyMethod == method.rawValue)
            #expect(stored.format.drmTags.count == 1)
        }
    }

    private static let impostors: [(Key.Method, [UInt8])] = [
        (.sampleAES, page), (.sampleAES, []), (.sampleAESCTR, page), (.sampleAESCTR, []),
        // Of these only the length can be judged: whole blocks of AES-128, and something at all.
        (.aes128, page), (.aes128, []), (Key.Method(rawValue: "AES-256-GCM"), []),
    ]

    @Test("are clear for all where the key is there and they are stored in plain", arguments: [true, false])
    func decrypted(isKept: Bool) async throws {
        try await Origin.run { origin in
            origin.serve("/7.vtt", try Ciphered.encrypted(Ciphered.subtitles(comments: 200)))
            origin.serve("/key", Ciphered.key)
            let keys = [Key(method: .aes128, uri: "key"), Self.key(.aes128)]
            let stored = try await origin.fetcher(
                store: MemorySegmentStore(), encryption: isKept ? .keep : .clear
            ).outcome(of: Ciphered.lastTry("7.vtt", keys: keys, at: origin.url("/index.m3u8"))).stored
            #expect(stored?.format.drmTags.count == (isKept ? 1 : 0))
            #expect(stored?.format.keyMethod == (isKept ? "AES-128" : nil))
        }
    }

    @Test("are refused where a page or nothing stands in their place", arguments: impostors)
    func refused(method: Key.Method, body: [UInt8]) async throws {
        try await Origin.run { origin in
            origin.serve("/7.m4s", body)
            let outcome = try await lastTry(origin, Self.key(method))
            #expect(outcome.failure?.reason == .segmentCorrupt)
        }
    }
}
