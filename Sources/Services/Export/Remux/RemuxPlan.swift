import MediaFormat
package import Timeline

/// A window that ffmpeg packs into one MP4 file: whose segments, in which order.
package struct RemuxPlan: Sendable {
    /// The segments of one rendition.
    struct Input: Sendable {
        var channel: ChannelID
        var rendition: RenditionID
        var runs: [SegmentRun]
        var formats: [Int32: SegmentFormat]
        var container: SegmentExtension
        /// What precedes the segments, which all have the same.
        var initName: String?
    }

    /// Picture and sound of fMP4 in two renditions.
    struct Pair: Sendable {
        var picture: FragmentedFile
        var sound: FragmentedFile
    }

    /// A picture with the sound of a transport stream or of packed audio.
    struct Beside: Sendable {
        var picture: Picture
        var sound: Input
        /// Those of the picture.
        var runs: ContinuousRuns
    }

    enum Picture: Sendable {
        case stream(Input)
        case fragmented(FragmentedFile)
    }

    enum Media: Sendable {
        case one(Input)
        case pair(Pair)
        case beside(Beside)
    }

    let media: Media

    /// Segments of a rendition with their formats by id.
    package typealias Segments = (rendition: RenditionID, runs: [SegmentRun], formats: [Int32: SegmentFormat])

    /// Plans the file of one rendition, whose segments have one container.
    package init(channel: ChannelID, _ segments: Segments) throws(ExportError) {
        media = .one(try Input(channel, segments))
    }

    /// Plans the file of a picture in a transport stream, and of the sound of another one or of packed audio.
    package init(channel: ChannelID, picture: Segments, sound: Segments) throws(ExportError) {
        let input = try Input(channel, picture)
        guard input.container == .transportStream else { throw .otherContainer(picture.rendition) }
        let runs = ContinuousRuns(picture.runs)
        media = .beside(
            Beside(picture: .stream(input), sound: try Self.sound(channel, sound), runs: runs))
    }

    /// Plans the file of a picture in fMP4, and of sound of a transport stream or of packed audio.
    package init(picture: FragmentedFile, sound: Segments) throws(ExportError) {
        media = .beside(
            Beside(
                picture: .fragmented(picture), sound: try Self.sound(picture.plan.channel, sound),
                runs: picture.plan.continuous))
    }

    private static func sound(_ channel: ChannelID, _ segments: Segments) throws(ExportError) -> Input {
        let input = try Input(channel, segments)
        guard input.container != .fragmentedMP4 else { throw .separateAudio }
        return input
    }

    /// Plans the file of a picture and a sound rendition.
    package init(picture: FragmentedFile, sound: FragmentedFile) {
        media = .pair(Pair(picture: picture, sound: sound))
    }

    /// The streams that ffmpeg reads.
    var inputCount: Int {
        switch media {
        case .one: 1
        case .pair, .beside: 2
        }
    }

    /// What ffmpeg is told: it copies one video and one audio stream.
    ///
    /// It begins a fragment at each key frame, so that the file can be written to a connection.
    var arguments: [String] {
        var arguments = ["-nostdin", "-v", "error", "-protocol_whitelist", "pipe", "-copyts"]
        switch media {
        case .one(let input):
            arguments += ["-f", input.formatName, "-i", "pipe:0", "-map", "0:v:0?", "-map", "0:a:0?"]
            arguments += ["-c", "copy"] + input.audioFilter
        case .pair:
            for stream in ["pipe:0", "pipe:3"] {
                arguments += ["-thread_queue_size", "256", "-f", "mp4", "-i", stream]
            }
            arguments += ["-map", "0:v:0", "-map", "1:a:0", "-c", "copy"]
        case .beside(let beside):
            for (stream, format) in [("pipe:0", beside.pictureFormat), ("pipe:3", "mpegts")] {
                arguments += ["-thread_queue_size", "256", "-f", format, "-i", stream]
            }
            arguments += ["-map", "0:v:0", "-map", "1:a:0", "-c", "copy"] + beside.sound.audioFilter
        }
        // Sound alone has no key frames at which a fragment could end.
        return arguments + ["-avoid_negative_ts", "make_zero", "-frag_duration", "10000000"]
            + ["-movflags", "frag_keyframe+empty_moov+delay_moov+default_base_moof", "-f", "mp4", "pipe:1"]
    }
}

extension RemuxPlan.Beside {
    fileprivate var pictureFormat: String {
        switch picture {
        case .stream: "mpegts"
        case .fragmented: "mp4"
        }
    }
}

extension RemuxPlan.Input {
    fileprivate init(_ channel: ChannelID, _ segments: RemuxPlan.Segments) throws(ExportError) {
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

    /// AAC has a header in each frame in a transport stream, and one for all in MP4.
    fileprivate var audioFilter: [String] {
        let tracks = runs.lazy.flatMap(\.formatIDs).compactMap { formats[$0]?.tracks }.first { !$0.isEmpty }
        let audio = (tracks ?? "audio:aac").split(separator: ",").first { $0.hasPrefix("audio:") }
        return audio == "audio:aac" && container != .fragmentedMP4 ? ["-bsf:a", "aac_adtstoasc"] : []
    }
}

extension RemuxPlan.Pair {
    /// The first and last segment of both in each continuous run of the picture.
    var ends: [RunShifts.Ends] {
        var sounds = [(first: RecordedSegment, last: RecordedSegment)?](
            repeating: nil, count: picture.plan.continuous.all.count)
        for segment in sound.plan.runs.lazy.flatMap(\.segments) {
            guard let run = picture.plan.continuous.index(beside: segment) else { continue }
            sounds[run] = (sounds[run]?.first ?? segment, segment)
        }
        return zip(picture.plan.continuous.all, sounds).map { [($0.first, $0.last), $1] }
    }
}
