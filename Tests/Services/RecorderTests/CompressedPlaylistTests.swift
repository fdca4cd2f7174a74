import Compression
import Concurrency
import HLS
import HTTP
import Testing
import Timeline

@testable import Recorder

@Suite("A playlist that is compressed without saying so")
struct CompressedPlaylistTests {
    private static let text = Array("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n1.ts\n".utf8)

    private static func gzip(_ plain: [UInt8]) throws -> [UInt8] {
        let block = try DeflateBlock.compressing(plain)
        var trailer = GzipJoin.Trailer()
        trailer.append(block)
        return GzipJoin.header + block.bytes + trailer.bytes
    }

    private static func fetch(_ origin: Origin) async throws -> FetchedPlaylist? {
        let request = PlaylistRequest(
            use: SourceUse(number: 1, source: try origin.source("/live.m3u8")), purpose: .rendition(video(0)),
            url: try origin.url("/live.m3u8"), begun: moment(0))
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
