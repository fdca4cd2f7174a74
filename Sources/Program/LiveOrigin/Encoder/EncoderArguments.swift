import Foundation

/// The arguments of the one ffmpeg that makes all renditions from one picture and one tone.
struct EncoderArguments {
    var layout: Layout
    var segmentSeconds: Double
    /// Nil encodes in real time until it is stopped.
    var totalSeconds: Double?
    /// Hertz.
    var toneFrequency = 440
    /// The folder in which each rendition gets a folder with `index.m3u8` and its segments.
    var folder: String
    /// Segments that the playlists keep; 0 keeps all.
    var playlistSegments = 0

    /// The font for the clock in the picture; nil for no clock.
    static let font = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"

    /// 32 kHz: an audio frame lasts 32 ms, and 0.16 s contain whole frames of audio and video.
    static let sampleRate = 32_000

    func list() -> [String] {
        inputs + filter + video + audio + output
    }

    private var inputs: [String] {
        let size = layout.videos.first.flatMap(Self.size) ?? "640x360"
        let pace = totalSeconds == nil ? ["-re"] : []
        return ["-hide_banner", "-nostdin", "-loglevel", "error", "-y"]
            + pace + ["-f", "lavfi", "-i", "testsrc2=size=\(size):rate=\(Layout.framesPerSecond)"]
            + pace + ["-f", "lavfi", "-i", "sine=frequency=\(toneFrequency):sample_rate=\(Self.sampleRate)"]
            + (totalSeconds.map { ["-t", "\($0)"] } ?? [])
    }

    /// One decoding, split and scaled to the smaller sizes.
    private var filter: [String] {
        let videos = layout.videos
        let heads = videos.indices.map { "[s\($0)]" }.joined()
        let scales = zip(videos.indices, videos).map { index, video in
            "[s\(index)]scale=\(Self.size(video)?.replacing("x", with: ":") ?? "-1:-1")[v\(index)]"
        }
        let drawn = totalSeconds == nil ? Self.clock : FrameMarks.filter
        let graph = "[0:v]\(drawn)split=\(videos.count)\(heads);\(scales.joined(separator: ";"))"
        return ["-filter_complex", graph] + videos.indices.flatMap { ["-map", "[v\($0)]"] }
    }

    /// Draws the time in UTC into the picture.
    private static var clock: String {
        guard FileManager.default.isReadableFile(atPath: font) else { return "" }
        return "drawtext=fontfile=\(font):text='%{gmtime}':x=20:y=20:fontsize=32:fontcolor=white:box=1:"
            + "boxcolor=black,"
    }

    private var video: [String] {
        let rates = zip(layout.videos.indices, layout.videos).flatMap { index, video in
            ["-b:v:\(index)", "-maxrate:v:\(index)", "-bufsize:v:\(index)"].flatMap {
                [$0, String(video.bitsPerSecond)]
            }
        }
        return ["-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-level:v", "4.0"]
            + ["-pix_fmt", "yuv420p", "-g", "9999", "-sc_threshold", "0"]
            + ["-force_key_frames", "expr:gte(t+0.001,n_forced*\(segmentSeconds))"] + rates
    }

    /// Muxed audio is part of every variant, separate audio is a rendition of its own.
    private var audio: [String] {
        let count = layout.audio == .muxed ? layout.videos.count : 1
        return Array(repeating: ["-map", "1:a"], count: count).flatMap(\.self)
            + ["-c:a", "aac", "-b:a", String(Layout.audioBitsPerSecond)]
    }

    private var output: [String] {
        let container = layout.container == .ts ? "mpegts" : "fmp4"
        return ["-f", "hls", "-hls_time", "\(segmentSeconds)", "-hls_list_size", String(playlistSegments)]
            + ["-hls_flags", playlistSegments == 0 ? "temp_file" : "temp_file+delete_segments"]
            + ["-hls_segment_type", container, "-hls_fmp4_init_filename", "init.mp4"]
            + ["-hls_segment_filename", "\(folder)/%v/%d.\(layout.container.fileExtension)"]
            + ["-var_stream_map", streamMap, "\(folder)/%v/index.m3u8"]
    }

    private var streamMap: String {
        guard layout.audio == .separate else {
            return layout.videos.indices.map { "v:\($0),a:\($0),name:v\($0)" }.joined(separator: " ")
        }
        return
            (layout.videos.indices.map { "v:\($0),agroup:audio,name:v\($0)" } + ["a:0,agroup:audio,name:a0"])
            .joined(separator: " ")
    }

    private static func size(_ rendition: Rendition) -> String? {
        guard case .video(let width, let height) = rendition.kind else { return nil }
        return "\(width)x\(height)"
    }
}
