import Testing
import Timeline

struct ArchiveKeyTests {
    @Test("A key is a path below the archive")
    func paths() throws {
        let channel = try #require(ChannelID("cctv2"))
        let rendition = try #require(RenditionID("v0"))
        let name = try #require(SegmentName("1469509516000.ts"))
        #expect(
            ArchiveKey.segment(channel, rendition, name).path == "cctv2/v0/2016-07-26/05/1469509516000.ts")
        let section = ArchiveKey.initialization(channel, rendition, "init-0123456789abcdef.mp4")
        #expect(section.path == "cctv2/v0/init-0123456789abcdef.mp4")
        #expect(ArchiveKey.key(channel, "00").path == "cctv2/keys/00")
    }

    @Test("Names of initialization sections and keys are lower-case digests")
    func digests() {
        for ending in ["mp4", "ts", "vtt"] {
            #expect(ArchiveKey.isInitializationName("init-0123456789abcdef.\(ending)"))
        }
        for text in [
            "init-0123456789ABCDEF.mp4", "init-0123.mp4", "init-../../etc/passw.mp4", "init-.mp4", "",
            "init-0123456789abcdef.key", "init-0123456789abcdef",
        ] {
            #expect(!ArchiveKey.isInitializationName(text))
        }
        #expect(ArchiveKey.isKeyName("0123456789abcdef0123456789abcdef"))
        for text in ["0123456789abcdef", "0123456789abcdef0123456789abcdeg", ""] {
            #expect(!ArchiveKey.isKeyName(text))
        }
    }
}
