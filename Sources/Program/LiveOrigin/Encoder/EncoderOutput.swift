import Foundation
import HTTP

/// Reads the finished segments of a running encoder.
struct EncoderOutput {
    let folder: String
    let layout: Layout
    var hasSubtitles = false
    /// The next index of the encoder's own numbering, and where its segment begins.
    private var places: [String: (index: Int, startSeconds: Double)] = [:]
    private var anchor: Double?
    private(set) var initializations: [String: [UInt8]] = [:]

    init(folder: String, layout: Layout) {
        self.folder = folder
        self.layout = layout
    }

    /// Segments finished since the last call.
    mutating func finished(at now: Double) -> [SourceSegment] {
        layout.encoded.flatMap { finished($0, at: now) }
    }

    private mutating func finished(_ rendition: Rendition, at now: Double) -> [SourceSegment] {
        guard let text = FileManager.default.contents(atPath: "\(folder)/\(rendition.id)/index.m3u8") else {
            return []
        }
        let playlist = EncoderPlaylist(String(decoding: text, as: UTF8.self))
        guard let form = form(rendition, playlist) else { return [] }
        return playlist.entries.flatMap { entry -> [SourceSegment] in
            guard let segment = segment(entry, rendition, form, at: now) else { return [] }
            guard hasSubtitles, rendition.id == layout.videos.first?.id else { return [segment] }
            return [segment, Subtitles.segment(beside: segment, rendition: "s0")]
        }
    }

    /// Nil for an entry that was read before, or whose file is gone.
    private mutating func segment(
        _ entry: EncoderPlaylist.Entry, _ rendition: Rendition, _ form: SourceMedia.Form, at now: Double,
    ) -> SourceSegment? {
        let place = places[rendition.id] ?? (0, 0)
        let path = "\(folder)/\(rendition.id)/\(entry.file)"
        guard entry.index >= place.index, let bytes = FileManager.default.contents(atPath: path) else {
            return nil
        }
        let start = anchor ?? now - entry.durationSeconds
        anchor = start
        places[rendition.id] = (entry.index + 1, place.startSeconds + entry.durationSeconds)
        return SourceSegment(
            rendition: rendition.id, durationSeconds: entry.durationSeconds,
            startSeconds: start + place.startSeconds,
            media: SourceMedia(form: form, encoded: SharedBytes(Array(bytes))))
    }

    /// Nil while the initialization section is missing.
    private mutating func form(_ rendition: Rendition, _ playlist: EncoderPlaylist) -> SourceMedia.Form? {
        guard layout.container == .fmp4 else { return .transportStream }
        let name = "\(rendition.id)/init.mp4"
        if initializations[name] == nil, let file = playlist.initialization {
            initializations[name] =
                FileManager.default.contents(atPath: "\(folder)/\(rendition.id)/\(file)").map(Array.init)
        }
        return initializations[name].map { .movieFragments(timescales: MovieFragments.timescales(of: $0)) }
    }
}
