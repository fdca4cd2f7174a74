/// Counts the bytes of a WebVTT segment; its header was seen when the container was told.
///
/// Nothing in the format says where a segment ends, so it counts as whole; one of only `WEBVTT` is valid and common.
struct WebVTTInspector: ContainerInspector {
    private var byteCount = 0

    mutating func append(_ bytes: Span<UInt8>) {
        byteCount += bytes.count
    }

    mutating func finish() -> MediaInspection {
        let track = Track(id: 0, kind: .subtitles, codec: "webvtt", codecString: "wvtt")
        return MediaInspection(container: .webVTT, wholeness: .whole, byteCount: byteCount, tracks: [track])
    }
}
