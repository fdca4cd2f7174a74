/// Reads one trak of a moov (ISO 14496-12 §8.3 to §8.5).
enum MovieTrackReader {
    /// Nil without a track ID.
    static func track(_ content: ByteCursor) -> InitSection.MovieTrack? {
        guard let header = BoxSequence.first("tkhd", in: content), let id = trackID(header) else {
            return nil
        }
        guard let media = BoxSequence.first("mdia", in: content)?.content else {
            return InitSection.MovieTrack(description: Track(id: id, kind: .other), timescale: 0)
        }
        let timescale = BoxSequence.first("mdhd", in: media).flatMap(timescale) ?? 0
        let kind = BoxSequence.first("hdlr", in: media).map(kind) ?? .other
        let entry = sampleEntry(media).flatMap { SampleEntry(reading: $0) }
        let description = Track(
            id: id, kind: entry?.kind ?? kind, codec: entry?.codec, codecString: entry?.codecString,
            resolution: entry?.resolution)
        return InitSection.MovieTrack(description: description, timescale: timescale)
    }

    private static func trackID(_ box: Box) -> UInt32? {
        var box = box
        guard let version = box.fullHeader()?.version, box.content.skip(version == 1 ? 16 : 8) else {
            return nil
        }
        return box.content.uint32()
    }

    /// The timescale of a movie or a track, which their headers have at the same place.
    static func timescale(_ box: Box) -> UInt32? {
        var box = box
        guard let version = box.fullHeader()?.version, box.content.skip(version == 1 ? 16 : 8) else {
            return nil
        }
        return box.content.uint32()
    }

    private static func kind(_ box: Box) -> Track.Kind {
        var box = box
        guard box.fullHeader() != nil, box.content.skip(4), let name = box.content.take(4) else {
            return .other
        }
        switch BoxHeader.text(name.rest) {
        case "vide": return .video
        case "soun": return .audio
        case "subt", "text", "sbtl", "clcp": return .subtitles
        default: return .other
        }
    }

    /// The first entry of the sample description.
    private static func sampleEntry(_ media: ByteCursor) -> Box? {
        guard let information = BoxSequence.first("minf", in: media)?.content,
            let table = BoxSequence.first("stbl", in: information)?.content,
            var description = BoxSequence.first("stsd", in: table), description.fullHeader() != nil,
            description.content.skip(4)
        else { return nil }
        var entries = BoxSequence(ByteCursor(description.content.rest))
        return entries.next()
    }
}
