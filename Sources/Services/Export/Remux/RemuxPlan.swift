import MediaFormat
import Processes
package import Timeline

/// A window that ffmpeg packs into one MP4 file: whose segments, in which order.
package struct RemuxPlan: Sendable {
    /// The segments of one rendition.
    package struct Input: Sendable {
        var channel: ChannelID
        var rendition: RenditionID
        var runs: [SegmentRun]
        var formats: [Int32: SegmentFormat]
        var container: SegmentExtension
        /// The initialization section, which all segments share.
        var initName: String?
    }

    /// A video with audio that is a rendition of its own.
    struct AudioVideo: Sendable {
        var video: TrackSource
        var audio: TrackSource
        /// Those of the video.
        var runs: ContinuousRuns
    }

    /// Video or audio: a transport stream or packed audio, or fMP4.
    package enum TrackSource: Sendable {
        case stream(Input)
        case fragmented(FragmentedFile)
    }

    enum Media: Sendable {
        case one(Input)
        case audioVideo(AudioVideo)
    }

    let media: Media

    /// Segments of a rendition with their formats by id.
    package typealias Segments = (rendition: RenditionID, runs: [SegmentRun], formats: [Int32: SegmentFormat])

    /// Plans the file of one rendition, whose segments have one container.
    package init(channel: ChannelID, _ segments: Segments) throws(ExportError) {
        media = .one(try Input(channel, segments))
    }

    /// Plans the file of a video and of audio that is a rendition of its own.
    package init(video: TrackSource, audio: TrackSource) throws(ExportError) {
        let runs: ContinuousRuns
        switch video {
        case .stream(let input):
            // Packed audio has no video.
            guard input.container == .transportStream else { throw .otherContainer(input.rendition) }
            runs = ContinuousRuns(input.runs)
        case .fragmented(let file): runs = file.plan.continuous
        }
        media = .audioVideo(AudioVideo(video: video, audio: audio, runs: runs))
    }

    /// The longest video with audio beside it that the width of the times allows, microseconds; nil if all
    /// of it fits.
    package var longest: Int64? {
        guard case .audioVideo(let audioVideo) = media else { return nil }
        let (video, audio) = (audioVideo.video, audioVideo.audio)
        // Both are moved to the same times, which wrap in a transport stream.
        let isLong = audioVideo.runs.all.last.map { $0.end > Limits.packedMicroseconds } ?? false
        let packed = isLong && (video.isStream || audio.isStream) ? Limits.packedMicroseconds : nil
        return [video.longest, audio.longest, packed].compactMap { $0 }.min()
    }

    /// The streams that ffmpeg reads.
    var inputCount: Int {
        switch media {
        case .one: 1
        case .audioVideo: 2
        }
    }

    /// What ffmpeg is told: it copies one video and one audio stream.
    ///
    /// It begins a fragment at each key frame, so that the file can be written to a connection. The first
    /// announced streams are taken, or those of `opening`.
    func arguments(_ opening: OpeningTracks? = nil) -> [String] {
        var arguments = ["-nostdin", "-v", "error", "-copyts"]
        switch media {
        case .one(let input):
            arguments += (opening?.probing ?? []) + Self.reading("pipe:0", input.formatName)
            arguments += opening?.mapping ?? ["-map", "0:v:0?", "-map", "0:a:0?"]
            arguments += ["-c", "copy"] + input.videoTag + input.audioFilter
        case .audioVideo(let audioVideo):
            for (stream, trackSource) in [("pipe:0", audioVideo.video), ("pipe:3", audioVideo.audio)] {
                arguments += ["-thread_queue_size", "256"] + Self.reading(stream, trackSource.formatName)
            }
            arguments += ["-map", "0:v:0", "-map", "1:a:0", "-c", "copy"]
            arguments += audioVideo.video.videoTag + audioVideo.audio.audioFilter
        }
        // Audio alone has no key frames at which a fragment could end.
        return arguments + ["-avoid_negative_ts", "make_zero", "-frag_duration", "10000000"]
            + ["-movflags", "frag_keyframe+empty_moov+delay_moov+default_base_moof", "-f", "mp4", "pipe:1"]
    }

    /// An input, with the options that hold for it alone.
    private static func reading(_ stream: String, _ formatName: String) -> [String] {
        ["-protocol_whitelist", "pipe", "-f", formatName, "-i", stream]
    }
}

extension RemuxPlan.TrackSource {
    /// The longest media that the width of the times of fMP4 allows, microseconds; nil if all of them fit.
    fileprivate var longest: Int64? {
        switch self {
        case .stream: nil
        case .fragmented(let file): file.longest
        }
    }

    fileprivate var isStream: Bool {
        if case .stream = self { true } else { false }
    }

    /// Packed audio is written as a transport stream, so that each frame has a time.
    fileprivate var formatName: String {
        switch self {
        case .stream: "mpegts"
        case .fragmented: "mp4"
        }
    }

    fileprivate var videoTag: [String] {
        switch self {
        case .stream(let input): input.videoTag
        case .fragmented: []
        }
    }

    fileprivate var audioFilter: [String] {
        switch self {
        case .stream(let input): input.audioFilter
        case .fragmented: []
        }
    }
}

extension RemuxPlan.Input {
    /// Throws for segments of several containers, without media, or that cannot be decrypted.
    package init(_ channel: ChannelID, _ segments: RemuxPlan.Segments) throws(ExportError) {
        let (rendition, runs, formats) = segments
        guard let first = runs.first?.formatIDs.first.flatMap({ formats[$0] }), first.container != .webVTT,
            runs.allSatisfy({ run in
                run.formatIDs.allSatisfy { formats[$0]?.container == first.container }
            })
        else { throw .otherContainer(rendition) }
        try SegmentOpener.check(runs, formats, rendition)
        self.init(
            channel: channel, rendition: rendition, runs: runs, formats: formats,
            container: first.container, initName: first.initName)
    }

    /// The name that ffmpeg has for the container.
    fileprivate var formatName: String {
        switch container {
        case .transportStream: "mpegts"
        case .fragmentedMP4: "mp4"
        default: container.rawValue
        }
    }

    /// The tracks of the first format that says them.
    private var tracks: String? {
        runs.lazy.flatMap(\.formatIDs).compactMap { formats[$0]?.tracks }.first { !$0.isEmpty }
    }

    fileprivate var videoTag: [String] {
        let video = tracks?.split(separator: ",").first { $0.hasPrefix("video:") }
        return video == "video:hevc" && container == .transportStream ? FFmpegOptions.hevcTag : []
    }

    /// AAC has a header in each frame in a transport stream, and one for all in MP4.
    fileprivate var audioFilter: [String] {
        let audio = (tracks ?? "audio:aac").split(separator: ",").first { $0.hasPrefix("audio:") }
        return audio == "audio:aac" && container != .fragmentedMP4 ? ["-bsf:a", "aac_adtstoasc"] : []
    }
}
