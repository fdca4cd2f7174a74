import Concurrency
import HLS
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

    @Test("A section or key that retention has forgotten meanwhile is kept again")
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
}
