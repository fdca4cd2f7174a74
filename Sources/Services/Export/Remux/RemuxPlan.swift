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

    enum Media: Sendable {
        case one(Input)
        case pair(Pair)
    }

    let media: Media

    /// Plans the file of one rendition, whose segments have one container.
    package init(
        channel: ChannelID, rendition: RenditionID, runs: [SegmentRun], formats: [Int32: SegmentFormat],
    ) throws(ExportError) {
        guard let first = runs.first?.formatIDs.first.flatMap({ formats[$0] }), first.container != .webVTT,
            runs.allSatisfy({ run in
                run.formatIDs.allSatisfy { formats[$0]?.container == first.container }
            })
        else { throw .otherContainer(rendition) }
        try SegmentOpener.check(runs, formats, rendition)
        media = .one(
            Input(
                channel: channel, rendition: rendition, runs: runs, formats: formats,
                container: first.container, initName: first.initName))
    }

    /// Plans the file of a picture and a sound rendition.
    package init(picture: FragmentedFile, sound: FragmentedFile) {
        media = .pair(Pair(picture: picture, sound: sound))
    }

    /// The streams that ffmpeg reads.
    var inputCount: Int {
        switch media {
        case .one: 1
        case .pair: 2
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
        }
        // Sound alone has no key frames at which a fragment could end.
        return arguments + ["-avoid_negative_ts", "make_zero", "-frag_duration", "10000000"]
            + ["-movflags", "frag_keyframe+empty_moov+delay_moov+default_base_moof", "-f", "mp4", "pipe:1"]
    }
}

extension RemuxPlan.Input {
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
    /// The continuous run of the picture in whose time most of a segment of the sound lies; nil for a hole.
    func run(of segment: RecordedSegment) -> Int? {
        let middle = segment.start + segment.duration / 2
        let runs = picture.plan.continuousRuns
        guard let index = runs.lastIndex(where: { $0.first.start <= middle }) else { return nil }
        return middle < runs[index].last.end ? index : nil
    }

    /// The first and last segment of both in each continuous run of the picture.
    var ends: [RunShifts.Ends] {
        var sounds = [(first: RecordedSegment, last: RecordedSegment)?](
            repeating: nil, count: picture.plan.continuousRuns.count)
        for segment in sound.plan.runs.lazy.flatMap(\.segments) {
            guard let run = run(of: segment) else { continue }
            sounds[run] = (sounds[run]?.first ?? segment, segment)
        }
        return zip(picture.plan.continuousRuns, sounds).map { [($0.first, $0.last), $1] }
    }
}
