import HTTP

/// WebVTT segments that describe the picture.
enum Subtitles {
    /// One cue over a whole segment, tied to the video's time (RFC 8216 §3.5).
    static func segment(beside video: SourceSegment, rendition: String) -> SourceSegment {
        let text = """
            WEBVTT
            X-TIMESTAMP-MAP=MPEGTS:\(video.media.firstTimestamp ?? 0),LOCAL:00:00:00.000

            00:00:00.000 --> \(time(video.durationSeconds))
            \(DateText.rfc3339(seconds: video.startSeconds))

            """
        var segment = video
        segment.rendition = rendition
        segment.media = SourceMedia(form: .webVTT, encoded: SharedBytes(Array(text.utf8)))
        return segment
    }

    /// Minutes, seconds and milliseconds; segments are far shorter than an hour.
    private static func time(_ seconds: Double) -> String {
        let milliseconds = Int((seconds * 1000).rounded())
        return "00:" + padded(milliseconds / 60_000, 2) + ":" + padded(milliseconds / 1000 % 60, 2) + "."
            + padded(milliseconds % 1000, 3)
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
