import Concurrency
import Digest
import HLS
import HTTP
import MediaFormat
import SegmentStore
import TestSupport
import Testing
import Timeline

@testable import Recorder

/// RFC 8216, 3.2 and 3.4: tables of a transport stream and the header of WebVTT may stand in a section of
/// their own.
struct InitSectionCacheTests {
    /// Two packets, of PID 0 and of padding.
    private static let tables =
        [0x47, 0x40, 0x00, 0x10] + [UInt8](repeating: 0xFF, count: 184)
        + [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184)
    private static let header = Array("WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000\n\n".utf8)

    @Test(
        "A section is kept as it is, with the ending of its container",
        arguments: [(tables, Container.transportStream, ".ts"), (header, .webVTT, ".vtt")])
    func containers(bytes: [UInt8], container: Container, ending: String) async throws {
        try await Origin.run { origin in
            origin.serve("/init", bytes)
            let store = MemorySegmentStore()
            let channel = try #require(ChannelID("news"))
            let keeper = InitSectionCache(channel: channel, rendition: video(0), store: store)
            let held = try await keeper.section(
                MediaMap(uri: "init"), at: try origin.url("/init"), domain: 0,
                link: try origin.link(), key: nil)
            #expect(held.section.container == container)
            #expect(held.name.hasSuffix(ending))
            #expect(ArchiveKey.isInitializationName(held.name))
            #expect(try await store.read(.initialization(channel, video(0), held.name)) == bytes)
        }
    }

    @Test("A section or key that retention has deleted meanwhile is stored again")
    func forgotten() async throws {
        try await Origin.run { origin in
            origin.serve("/init", Self.header)
            origin.serve("/key", [UInt8](repeating: 7, count: 16))
            let store = MemorySegmentStore()
            let channel = try #require(ChannelID("news"))
            let sections = InitSectionCache(channel: channel, rendition: video(0), store: store)
            let keys = KeyCache(channel: channel, store: store, clock: .system)
            let link = try origin.link()
            for _ in 0..<2 {
                let section = try await sections.section(
                    MediaMap(uri: "init"), at: try origin.url("/init"), domain: 0, link: link, key: nil)
                let key = try await keys.key(at: try origin.url("/key"), link: link)
                for object in [
                    ArchiveKey.initialization(channel, video(0), section.name), .key(channel, key.name),
                ] {
                    #expect(try await store.contains(object))
                    try await store.delete(object)
                }
            }
        }
    }

    @Test("What is no section is refused, and nothing is kept")
    func refused() async throws {
        try await Origin.run { origin in
            let keeper = InitSectionCache(
                channel: try #require(ChannelID("news")), rendition: video(0), store: MemorySegmentStore())
            for bytes in [Array("<html></html>".utf8), Array(Self.tables.dropLast(8))] {
                origin.serve("/init", bytes)
                let (url, link) = (try origin.url("/init"), try origin.link())
                await #expect(throws: MediaFormatError.self) {
                    try await keeper.section(MediaMap(uri: "init"), at: url, domain: 0, link: link, key: nil)
                }
            }
        }
    }

    /// A section for which the playlist names a key, and that key.
    private static let keyedMap = MediaMap(uri: "init", keys: [Key(method: .aes128, uri: "key")])

    private static func key() throws -> ContentKey {
        ContentKey(name: try Ciphered.name(of: Ciphered.key), bytes: Ciphered.key)
    }

    @Test("A section that is clear although its playlist names a key is kept as it is, also without the key")
    func clearBehindKey() async throws {
        try await Origin.run { origin in
            origin.serve("/init", Self.tables)
            let (store, channel) = (MemorySegmentStore(), try #require(ChannelID("news")))
            let keeper = InitSectionCache(channel: channel, rendition: video(0), store: store)
            let (map, key) = (Self.keyedMap, try Self.key())
            let (url, link) = (try origin.url("/init"), try origin.link())
            let held = try await keeper.section(
                map, at: url, domain: 0, link: link, key: (key, Ciphered.iv))
            #expect(try await store.read(.initialization(channel, video(0), held.name)) == Self.tables)
            let kept = try await keeper.keep(map, at: url, link: link)
            let later = try await keeper.section(named: kept, key: (key, Ciphered.iv))
            #expect(later.name == held.name)
        }
    }

    @Test("An encrypted section may begin as gzip does, and is read and kept as what it is")
    func encryptedLikeGzip() async throws {
        let first = [0x1F, 0x8B, 0x08] + [UInt8](repeating: 0, count: 13)
        var decipher = try AES128CBC(
            .decrypt, key: Ciphered.key, iv: zip(first, Self.tables).map { _ in 0 })
        // In CBC a first block is the cipher of the first bytes and the vector (RFC 8216, 4.3.2.4).
        let block = try decipher.update(first + first).prefix(16)
        let vector = zip(block, Self.tables).map { $0 ^ $1 }
        var cipher = try AES128CBC(.encrypt, key: Ciphered.key, iv: vector)
        let head = try cipher.update(Self.tables)
        let bytes = head + (try cipher.finish())
        try #require(bytes.prefix(16).elementsEqual(first))
        try await Origin.run { origin in
            origin.serve("/init", bytes)
            let (store, channel) = (MemorySegmentStore(), try #require(ChannelID("news")))
            let keeper = InitSectionCache(channel: channel, rendition: video(0), store: store)
            let (map, key) = (Self.keyedMap, try Self.key())
            let (url, link) = (try origin.url("/init"), try origin.link())
            let held = try await keeper.section(map, at: url, domain: 0, link: link, key: (key, vector))
            #expect(try await store.read(.initialization(channel, video(0), held.name)) == Self.tables)
            let kept = try await keeper.keep(map, at: url, link: link)
            #expect(try await store.read(.initialization(channel, video(0), kept)) == bytes)
        }
    }

    /// The section at bytes 8 to 384 of a file, cut out of an answer.
    private func cut(_ origin: Origin) async throws -> ArchivedInitSection {
        let keeper = InitSectionCache(
            channel: try #require(ChannelID("news")), rendition: video(0), store: MemorySegmentStore())
        let range = HLS.ByteRange(length: UInt64(Self.tables.count), offset: 8)
        return try await keeper.section(
            MediaMap(uri: "init", byteRange: range), at: try origin.url("/init"), domain: 0,
            link: try origin.link(), key: nil)
    }

    @Test("A part is taken from an answer with the whole file, or with that part, and from no other part")
    func parts() async throws {
        try await Origin.run { origin in
            let whole = [UInt8](repeating: 0, count: 8) + Self.tables + [UInt8](repeating: 0, count: 90)
            origin.serve("/init", whole)
            let held = try await cut(origin)
            origin.serve("/init", .partialContent, ["Content-Range": "bytes 8-383/474"], Self.tables)
            #expect(try await cut(origin).name == held.name)
            let wrong: [(HTTPHeaders, [UInt8])] = [
                (["Content-Range": "bytes 0-375/474"], Self.tables), ([:], Self.tables),
                (["Content-Range": "bytes 8-195/474"], Array(Self.tables.prefix(188))),
            ]
            for (fields, bytes) in wrong {
                origin.serve("/init", .partialContent, fields, bytes)
                await #expect(throws: FetchFailure.self) { _ = try await cut(origin) }
            }
        }
    }

    @Test("A section in a file that grows without end is read from an origin that ignores ranges")
    func largeFile() async throws {
        try await Origin.run { origin in
            let begin = [UInt8](repeating: 0, count: 8) + Self.tables
            origin.serve("/init", begin + [UInt8](repeating: 0, count: 1 << 20), announcing: 500 << 20)
            let held = try await cut(origin)
            #expect(held.section.container == .transportStream)
        }
    }
}
