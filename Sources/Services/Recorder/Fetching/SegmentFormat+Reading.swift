import HLS
import MediaFormat
import Timeline

extension SegmentFormat {
    /// Describes a segment by its inspection and its prerequisites.
    init(of received: SegmentReading.Result, _ prerequisites: SegmentPrerequisites, hasMap: Bool) {
        self.init(container: SegmentExtension(of: received, hasMap: hasMap))
        if let inspection = received.inspection {
            let tracks =
                inspection.tracks.isEmpty
                ? prerequisites.initialization?.section.tracks.map(\.description) ?? [] : inspection.tracks
            self.tracks = tracks.compactMap(Self.word).joined(separator: ",")
            codecs = (inspection.codecStrings ?? []).joined(separator: ",")
            width = inspection.resolution?.width ?? 0
            height = inspection.resolution?.height ?? 0
            sampleRate = inspection.sampleRate
            audioChannels = inspection.audioChannels
        }
        initName = prerequisites.initialization?.name
        if prerequisites.isStoredEncrypted { keyName = prerequisites.key?.name }
        // A segment that was decrypted before it was stored has no encryption to describe.
        guard prerequisites.isStoredEncrypted || prerequisites.key == nil else { return }
        keyMethod = prerequisites.method?.rawValue
        drmTags = prerequisites.drmTags
    }

    private static func word(_ track: Track) -> String? {
        let codec = track.codec ?? "unknown"
        switch track.kind {
        case .video: return "video:\(codec)"
        case .audio: return "audio:\(codec)"
        case .subtitles: return "subtitles:\(codec)"
        case .other: return nil
        }
    }
}

extension SegmentExtension {
    /// The extension for the inspected container; a guess if the bytes could not be inspected.
    init(of received: SegmentReading.Result, hasMap: Bool) {
        switch received.inspection?.container {
        case .transportStream: self = .transportStream
        case .fragmentedMP4: self = .fragmentedMP4
        case .packedAudio(.aac): self = .aac
        case .packedAudio(.mp3): self = .mp3
        case .packedAudio(.ac3), .packedAudio(.eac3): self = .ac3
        case .webVTT: self = .webVTT
        case nil: self = hasMap ? .fragmentedMP4 : .transportStream
        }
    }
}
