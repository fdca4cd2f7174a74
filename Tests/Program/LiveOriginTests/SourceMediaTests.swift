import HTTP
import Testing

@testable import LiveOrigin

@Suite("Stamped media")
struct SourceMediaTests {
    @Test("No two stamps give equal bytes", arguments: ["ts", "fmp4", "vtt"])
    func uniqueness(form: String) {
        let forms: [String: SourceMedia.Form] = [
            "ts": .transportStream, "fmp4": .movieFragments(timescales: [:]), "vtt": .webVTT,
        ]
        let media = SourceMedia(form: forms[form] ?? .webVTT, encoded: SharedBytes(packet()))
        var seen: Set<[UInt8]> = []
        for (channel, rendition, sourceRun, number) in [
            ("ch1", "v0", 0, 0), ("ch2", "v0", 0, 0), ("ch1", "v1", 0, 0), ("ch1", "v0", 1, 0),
            ("ch1", "v0", 0, 1),
            ("ch1", "v0", 0, 11), ("ch11", "v0", 0, 1),
        ] {
            let stamp = Stamp(channel: channel, rendition: rendition, sourceRun: sourceRun, number: number)
            seen.insert(media.bytes(with: stamp))
        }
        #expect(seen.count == 7)
    }

    @Test("A stamped transport stream is whole packets, a stamped fragment whole boxes")
    func shape() {
        let stamp = Stamp(channel: "c", rendition: "v0", sourceRun: 0, number: 1)
        let stream = SourceMedia(form: .transportStream, encoded: SharedBytes(packet())).bytes(with: stamp)
        #expect(stream.count == 376 && stream[188] == 0x47)
        let free = MovieBox.free("x")
        let movie = SourceMedia(form: .movieFragments(timescales: [:]), encoded: SharedBytes(free)).bytes(
            with: stamp)
        let boxes = MovieBox.boxes(of: movie, in: 0..<movie.count)
        #expect(boxes.map(\.type) == ["free", "free"] && boxes.last?.content.upperBound == movie.count)
    }
}
