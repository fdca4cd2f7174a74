import Foundation
import TestSupport

/// Real streams of six seconds, made by ffmpeg once for all tests.
package struct SampleStreams: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case transportStream
        case fragmentedMP4
        /// By an encoder whose clock began at 100 s, which its edit lists say.
        case lateMP4
        case byteRanges
        case encrypted
        case separateAudio
    }

    private let files: [Kind: [String: [UInt8]]]

    private static let made = Task { try await SampleStreams() }

    /// The files of a stream by their names; `index.m3u8` is the playlist.
    package static func files(_ kind: Kind) async throws -> [String: [UInt8]] {
        try await made.value.files[kind, default: [:]]
    }

    private init() async throws {
        // Nothing frees a static value at the end of a process: it must not be what owns the folder.
        let folder = try TemporaryFolder("streams")
        var files: [Kind: [String: [UInt8]]] = [:]
        for kind in Kind.allCases {
            let path = folder.path(of: kind.rawValue)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try await Self.encode(kind, in: path)
            for name in try FileManager.default.contentsOfDirectory(atPath: path) {
                let content = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
                files[kind, default: [:]][name] = Array(content)
            }
        }
        self.files = files
    }

    private static func encode(_ kind: Kind, in path: String) async throws {
        switch kind {
        case .transportStream: try await encode([], in: path)
        case .fragmentedMP4: try await encode(["-hls_segment_type", "fmp4"], in: path)
        case .lateMP4: try await encode(["-hls_segment_type", "fmp4", "-output_ts_offset", "100"], in: path)
        case .byteRanges: try await encode(["-hls_flags", "single_file"], in: path)
        case .encrypted:
            try Data((1...16).map { UInt8($0) }).write(to: URL(filePath: "\(path)/secret.key"))
            try Data("secret.key\n\(path)/secret.key\n".utf8).write(to: URL(filePath: "\(path)/key.info"))
            try await encode(["-hls_key_info_file", "key.info"], in: path)
            try FileManager.default.removeItem(atPath: "\(path)/key.info")
        case .separateAudio: try await encodeSeparately(in: path)
        }
    }

    private static let input = [
        "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=96x64:rate=10:duration=6", "-f",
        "lavfi",
        "-i", "sine=duration=6:sample_rate=44100",
    ]
    private static let video = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "10", "-pix_fmt", "yuv420p"]

    private static func encode(_ options: [String], in path: String) async throws {
        try await ffmpeg(
            input + video + ["-c:a", "aac", "-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod"]
                + options
                + ["index.m3u8"], in: path)
    }

    private static func encodeSeparately(in path: String) async throws {
        try await ffmpeg(
            input + ["-map", "0"] + video
                + ["-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod", "video.m3u8"], in: path)
        try await ffmpeg(
            input + [
                "-map", "1", "-c:a", "aac", "-f", "segment", "-segment_format", "adts", "-segment_time", "1",
                "-segment_list", "audio.m3u8", "audio%d.aac",
            ], in: path)
        let texts = [
            "words0.vtt": "WEBVTT\n\n00:00.000 --> 00:01.000\nOne\n",
            "words1.vtt": "WEBVTT\n\n00:03.000 --> 00:04.000\nTwo\n",
            "words.m3u8": """
            #EXTM3U
            #EXT-X-TARGETDURATION:3
            #EXTINF:3,
            words0.vtt
            #EXTINF:3,
            words1.vtt
            #EXT-X-ENDLIST

            """,
            "index.m3u8": """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Sine",LANGUAGE="en",DEFAULT=YES,URI="audio.m3u8"
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Words",LANGUAGE="en",URI="words.m3u8"
            #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1000,URI="frames.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=200000,CODECS="avc1.42c00a,mp4a.40.2",AUDIO="a",SUBTITLES="s"
            video.m3u8

            """,
        ]
        for (name, text) in texts {
            try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
        }
    }

    private static func ffmpeg(_ arguments: [String], in path: String) async throws {
        try await Command.run("/usr/bin/env", ["ffmpeg"] + arguments, in: path)
    }
}
