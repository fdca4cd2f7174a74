import Catalogue
import HTTPSupport
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

    private func change(_ viewer: ViewerFixture) async throws {
        let id = try #require(ChannelID("cctv2"))
        let channel = try await viewer.catalogue.channel(id)
        try await viewer.catalogue.setPlaylistForm(.multivariant, of: try #require(channel).row)
    }

    /// Waits for what is known of the channel to be of now: two seconds.
    private func awaitChange(_ viewer: ViewerFixture, at seconds: Int) async throws {
        try await eventually("the change") {
            let newest = try await viewer.get("/live/cctv2/v1.m3u8").uris.last
            let after = try await viewer.get(
                Self.index + "?begintime=\(1_469_509_516 + 40)&duration=\(seconds - 40)")
            return newest == "v1/\(1_469_509_516_000 + (seconds - 4) * 1000).ts"
                && after.text.contains("#EXT-X-STREAM-INF")
        }
    }

    @Test(
        "A window that begins before the change keeps its form; one that begins at the change has the new form"
    )
    func windows() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording())
            let event = Self.index + "?begintime=1469509516&mode=event"
            let early = Self.index + "?begintime=1469509516&duration=20"
            let (grown, closed) = (try await viewer.get(event), try await viewer.get(early))
            #expect(grown.uris.count == 10 && closed.uris.count == 5)
            try await change(viewer)
            try await viewer.recordMore(changed(until: 80))
            try await awaitChange(viewer, at: 80)
            #expect(try await viewer.get(event).uris == grown.uris)
            #expect(try await viewer.get(early).body == closed.body)
            let across = try await viewer.get(Self.index + "?begintime=\(1_469_509_516 + 20)&duration=60")
            #expect(across.uris == Array(grown.uris.suffix(5)))
            let all = try await viewer.get("/live/cctv2/master.m3u8?begintime=1469509516&duration=20")
            #expect(all.text.contains("#EXT-X-STREAM-INF"))
        }
    }

    @Test("A sliding playlist keeps its form until it lists no segment from before the change")
    func sliding() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording())
            let before = try await viewer.get(Self.index).uris
            #expect(before.last == "v0/1469509552000.ts")
            try await change(viewer)
            try await viewer.recordMore(changed(until: 60))
            try await awaitChange(viewer, at: 60)
            #expect(try await viewer.get(Self.index).uris == before)
            try await viewer.recordMore(changed(until: 120))
            try await awaitChange(viewer, at: 120)
            #expect(try await viewer.get(Self.index).text.contains("#EXT-X-STREAM-INF"))
            #expect(try await viewer.get(Self.index + "?dvr=100").uris.last == before.last)
        }
    }
}
