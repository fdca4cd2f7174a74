import Compression
import Concurrency
import HLS
import HTTP
import HTTPClient
import SegmentStore
import Testing
import Timeline

@testable import Recorder

@Suite("A playlist that is compressed without saying so")
struct CompressedPlaylistTests {
    private static let text = Array("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n1.ts\n".utf8)

    static func gzip(_ plain: [UInt8]) throws -> [UInt8] {
        let block = try DeflateBlock.compressing(plain)
        var trailer = GzipJoin.Trailer()
        trailer.append(block)
        return GzipJoin.header + block.bytes + trailer.bytes
    }

    private static func fetch(_ origin: Origin) async throws -> FetchedPlaylist? {
        let request = PlaylistRequest(
            use: SourceUse(number: 1, source: try origin.source("/live.m3u8")), purpose: .rendition(video(0)),
            url: try origin.url("/live.m3u8"), startedAt: moment(0))
        guard case .playlist(let fetched) = try await origin.link().playlist(request, clock: .system) else {
            return nil
        }
        return fetched
    }

    @Test("is read, and so is one that is compressed twice and says it once")
    func read() async throws {
        try await Origin.run { origin in
            let once = try Self.gzip(Self.text)
            origin.serve("/live.m3u8", once)
            #expect(try await Self.fetch(origin) != nil)
            origin.serve("/live.m3u8", .ok, ["Content-Encoding": "gzip"], try Self.gzip(once))
            #expect(try await Self.fetch(origin) != nil)
        }
    }

    @Test("is refused by name when it is not whole, or has more bytes than a playlist may have")
    func refused() async throws {
        try await Origin.run { origin in
            let once = try Self.gzip(Self.text)
            let bomb = try Self.gzip(Self.text + [UInt8](repeating: 10, count: Limits.playlistBytes))
            for bytes in [Array(once.dropLast(9)), bomb] {
                origin.serve("/live.m3u8", bytes)
                let error = await #expect(throws: SourceError.self) { _ = try await Self.fetch(origin) }
                #expect(error?.description.contains("gzip") == true)
            }
        }
    }
}

@Suite("A segment, key or section that is compressed though that was not asked for")
struct CompressedSegmentTests {
    private static let keys = [Key(method: .aes128, uri: "key")]
    private static let coded: HTTPHeaders = ["Content-Encoding": "gzip"]

    @Test(
        "is stored as it was before, also where the coding is named and not there", arguments: [true, false])
    func plain(isCoded: Bool) async throws {
        try await Origin.run { origin in
            func serve(_ path: String, _ bytes: [UInt8]) throws {
                let sent = isCoded ? try CompressedPlaylistTests.gzip(bytes) : bytes
                origin.serve(path, .ok, Self.coded, sent)
            }
            let text = Ciphered.subtitles(comments: 40_000)
            try serve("/clear.vtt", text)
            try serve("/7.vtt", try Ciphered.encrypted(text))
            try serve("/key", Ciphered.key)
            let store = MemorySegmentStore()
            let fetcher = try origin.fetcher(store: store, encryption: .clear)
            let base = try origin.url("/index.m3u8")
            for (name, keys) in [("clear.vtt", []), ("7.vtt", Self.keys)] as [(String, [Key])] {
                let request = Ciphered.lastTry(name, keys: keys, at: base)
                let stored = try #require(await fetcher.outcome(of: request).stored)
                #expect(stored.flags == [])
                #expect(try await store.read(stored.object.key) == text)
            }
        }
    }

    @Test("is stored as it was before where nothing names the coding, unless it is encrypted")
    func unnamed() async throws {
        try await Origin.run { origin in
            let text = Ciphered.subtitles(comments: 40_000)
            origin.serve("/clear.vtt", .ok, [:], try CompressedPlaylistTests.gzip(text))
            origin.serve("/7.vtt", .ok, [:], try CompressedPlaylistTests.gzip(try Ciphered.encrypted(text)))
            origin.serve("/key", .ok, [:], Ciphered.key)
            let store = MemorySegmentStore()
            let fetcher = try origin.fetcher(store: store, encryption: .clear)
            let base = try origin.url("/index.m3u8")
            let clear = await fetcher.outcome(of: Ciphered.lastTry("clear.vtt", at: base)).stored
            #expect(clear?.flags == [])
            #expect(try await store.read(try #require(clear).object.key) == text)
            // Random bytes may begin as gzip does.
            let encrypted = await fetcher.outcome(of: Ciphered.lastTry("7.vtt", keys: Self.keys, at: base))
            #expect(encrypted.stored?.flags != [])
        }
    }

    @Test("is a part where the coded body ends early")
    func cut() async throws {
        try await Origin.run { origin in
            let text = Ciphered.subtitles(comments: 40_000)
            let coded = try CompressedPlaylistTests.gzip(text)
            origin.serve("/7.vtt", .ok, Self.coded, Array(coded.dropLast(12)))
            let request = Ciphered.lastTry("7.vtt", at: try origin.url("/index.m3u8"))
            let stored = await (try origin.fetcher(store: MemorySegmentStore())).outcome(of: request).stored
            #expect(stored?.flags == .damaged)
        }
    }

    @Test("is no larger than a body may be")
    func bound() async throws {
        try await Origin.run { origin in
            let bytes = [UInt8](repeating: 10, count: 1 << 20)
            origin.serve("/init", .ok, Self.coded, try CompressedPlaylistTests.gzip(bytes))
            for (limit, isTooLarge) in [(1 << 20, false), ((1 << 20) - 1, true)] {
                do {
                    let body = try await BodySlice.open(
                        try origin.url("/init"), range: nil, link: try origin.link(), timeLimit: .seconds(30),
                        byteLimit: limit)
                    #expect(try await body.read() == bytes && !isTooLarge)
                } catch let error as TransferError {
                    #expect(error == .tooLarge(limit: limit) && isTooLarge)
                }
            }
        }
    }

    @Test("is asked for as it is")
    func identity() async throws {
        try await Origin.run { origin in
            let fields = [("Accept-Encoding", "identity")]
            origin.serve(
                "/7.vtt", try Ciphered.encrypted(Ciphered.subtitles(comments: 2)), onlyIf: fields,
                cookie: "a=1")
            origin.serve("/key", Ciphered.key, onlyIf: fields, cookie: "a=1")
            let fetcher = try origin.fetcher(store: MemorySegmentStore())
            let request = Ciphered.lastTry("7.vtt", keys: Self.keys, at: try origin.url("/index.m3u8"))
            #expect(await fetcher.outcome(of: request).stored != nil)
        }
    }
}
