import Catalogue
import TestSupport
import Testing
import Timeline

@testable import ViewerAPI

/// What `index.m3u8` is after a channel's source has become multivariant.
@Suite(.serialized) struct PlaylistFormTests {
    private static let index = "/live/cctv2/index.m3u8"

    /// A channel of one rendition for forty seconds; from then on it has another, better one.
    private func changed(until seconds: Int) -> Recording {
        var recording = Recording()
        recording.watermark = Double(seconds)
        recording.add("v1", from: 40, count: (seconds - 40) / 4, sequence: 1) { $0.bandwidth = 5_000_000 }
        return recording
    }

    private func change(_ archive: Archive) async throws {
        let id = try #require(ChannelID("cctv2"))
        let channel = try await archive.catalogue.channel(id)
        try await archive.catalogue.setPlaylistForm(.multivariant, of: try #require(channel).row)
    }

    /// Waits for what is known of the channel to be of now: two seconds.
    private func awaitChange(_ archive: Archive, at seconds: Int) async throws {
        try await eventually("the change") {
            let newest = try await archive.ask("/live/cctv2/v1.m3u8").uris.last
            let after = try await archive.ask(
                Self.index + "?begintime=\(1_469_509_516 + 40)&duration=\(seconds - 40)")
            return newest == "v1/\(1_469_509_516_000 + (seconds - 4) * 1000).ts"
                && after.text.contains("#EXT-X-STREAM-INF")
        }
    }

    @Test(
        "A window that begins before the change keeps its form; one that begins at the change has the new form"
    )
    func windows() async throws {
        try await Archive.with { archive in
            try await archive.record(Recording())
            let event = Self.index + "?begintime=1469509516&mode=event"
            let early = Self.index + "?begintime=1469509516&duration=20"
            let (grown, closed) = (try await archive.ask(event), try await archive.ask(early))
            #expect(grown.uris.count == 10 && closed.uris.count == 5)
            try await change(archive)
            try await archive.goOn(changed(until: 80))
            try await awaitChange(archive, at: 80)
            #expect(try await archive.ask(event).uris == grown.uris)
            #expect(try await archive.ask(early).body == closed.body)
            let across = try await archive.ask(Self.index + "?begintime=\(1_469_509_516 + 20)&duration=60")
            #expect(across.uris == Array(grown.uris.suffix(5)))
            let all = try await archive.ask("/live/cctv2/master.m3u8?begintime=1469509516&duration=20")
            #expect(all.text.contains("#EXT-X-STREAM-INF"))
        }
    }

    @Test("A sliding playlist keeps its form until it lists no segment from before the change")
    func sliding() async throws {
        try await Archive.with { archive in
            try await archive.record(Recording())
            let before = try await archive.ask(Self.index).uris
            #expect(before.last == "v0/1469509552000.ts")
            try await change(archive)
            try await archive.goOn(changed(until: 60))
            try await awaitChange(archive, at: 60)
            #expect(try await archive.ask(Self.index).uris == before)
            try await archive.goOn(changed(until: 120))
            try await awaitChange(archive, at: 120)
            #expect(try await archive.ask(Self.index).text.contains("#EXT-X-STREAM-INF"))
            #expect(try await archive.ask(Self.index + "?dvr=100").uris.last == before.last)
        }
    }
}
