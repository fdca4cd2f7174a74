/// Combines the program map with what its streams showed.
struct ProgramReport {
    private(set) var tracks: [Track] = []
    private(set) var startsWithKeyFrame: Bool?

    /// Without a map, the packets' stream identifiers decide.
    init(streams: [ElementaryStream], program: [ProgramStream]) {
        let announced = program.map {
            (pid: $0.pid, track: Track(id: UInt32($0.pid), kind: $0.kind, codec: $0.codec))
        }
        let guessed = streams.map {
            (pid: $0.pid, track: Track(id: UInt32($0.pid), kind: Self.kind($0.streamID)))
        }
        for (pid, track) in program.isEmpty ? guessed : announced {
            let stream = streams.first { $0.pid == pid }
            add(track, stream)
        }
    }

    private mutating func add(_ announced: Track, _ stream: ElementaryStream?) {
        var track = announced
        track.firstTimestamp = stream?.times.first
        track.lastTimestamp = stream?.times.last
        track.durationMicroseconds = stream?.durationMicroseconds(track.kind)
        if let codec = track.codec {
            let details = stream.flatMap { Self.details(codec, $0) }
            track.codecString = details?.codecString ?? Self.fixedString(codec)
            track.resolution = details?.resolution
            let header = stream.flatMap { Self.firstHeader(codec, $0) }
            (track.sampleRate, track.audioChannels) = (header?.sampleRate, header?.audioChannels)
            if let stream, track.kind == .video, startsWithKeyFrame == nil {
                startsWithKeyFrame = AccessUnit(codec: codec, bytes: stream.opening)?
                    .isKeyFrame(marked: stream.opensWithRandomAccess)
            }
        }
        tracks.append(track)
    }

    /// From the header of the first frame, or the parameter sets of the first unit or of the first random
    /// access point.
    private static func details(_ codec: String, _ stream: ElementaryStream) -> CodecParameters? {
        if codec == "aac" || codec == "mp3" {
            guard let header = AudioFrameHeader(reading: stream.opening[...]), "\(header.kind)" == codec
            else { return nil }
            return CodecParameters(codecString: header.codecString)
        }
        return AccessUnit(codec: codec, bytes: stream.opening)?.parameters
            ?? AccessUnit(codec: codec, bytes: stream.entry)?.parameters
    }

    /// The header of the first frame of audio.
    private static func firstHeader(_ codec: String, _ stream: ElementaryStream) -> AudioFrameHeader? {
        let header = AudioFrameHeader(reading: stream.opening[...])
        return header.flatMap { "\($0.kind)" == codec ? $0 : nil }
    }

    /// Codecs whose string has no parameters.
    private static func fixedString(_ codec: String) -> String? {
        switch codec {
        case "ac3": "ac-3"
        case "eac3": "ec-3"
        case "opus": "opus"
        default: nil
        }
    }

    private static func kind(_ streamID: UInt8) -> Track.Kind {
        switch streamID {
        case 0xE0...0xEF: .video
        case 0xC0...0xDF: .audio
        default: .other
        }
    }
}
