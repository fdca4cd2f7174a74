/// Counts the bytes of a WebVTT segment, whose header was checked when the container was recognised.
///
/// The format has no end mark, so every segment counts as whole; one with only `WEBVTT` is valid and common.
struct WebVTTInspector: ContainerInspector {
    private var byteCount = 0

    mutating func append(_ bytes: Span<UInt8>) {
        byteCount += bytes.count
    }

    mutating func finish() -> MediaInspection {
        let track = Track(id: 0, kind: .subtitles, codec: "webvtt", codecString: "wvtt")
        return MediaInspection(container: .webVTT, integrity: .whole, byteCount: byteCount, tracks: [track])
    }
}
