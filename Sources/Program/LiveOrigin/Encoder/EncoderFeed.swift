import Foundation
import HTTP

/// Reads what a running encoder has finished.
struct EncoderFeed {
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

    /// Segments that were finished since the last call.
    mutating func finished(at now: Double) -> [SourceSegment] {
        layout.encoded.flatMap { finished($0, at: now) }
    }

    private mutating func finished(_ rendition: Rendition, at now: Double) -> [SourceSegment] {
        let path = "\(folder)/\(rendition.id)"
        guard let list = FileManager.default.contents(atPath: "\(path)/index.m3u8"),
            let form = form(rendition, path: path)
        else { return [] }
        var segments: [SourceSegment] = []
        for entry in EncoderList(String(decoding: list, as: UTF8.self)).entries {
            let place = places[rendition.id] ?? (0, 0)
            guard entry.index >= place.index,
                let bytes = FileManager.default.contents(atPath: "\(path)/\(entry.file)")
            else { continue }
            let start = anchor ?? now - entry.durationSeconds
            anchor = start
            let media = SourceMedia(form: form, encoded: SharedBytes(Array(bytes)))
            let segment = SourceSegment(
                rendition: rendition.id, durationSeconds: entry.durationSeconds,
                startSeconds: start + place.startSeconds, media: media)
            segments.append(segment)
            if hasSubtitles && rendition.id == layout.videos.first?.id {
                segments.append(Subtitles.segment(beside: segment, rendition: "s0"))
            }
            places[rendition.id] = (entry.index + 1, place.startSeconds + entry.durationSeconds)
        }
        return segments
    }

    /// Nil while the initialization section is not there.
    private mutating func form(_ rendition: Rendition, path: String) -> SourceMedia.Form? {
        guard layout.container == .fmp4 else { return .transportStream }
        let name = "\(rendition.id)/init.mp4"
        if initializations[name] == nil, let data = FileManager.default.contents(atPath: "\(path)/init.mp4") {
            initializations[name] = Array(data)
        }
        return initializations[name].map { .movieFragments(timescales: MovieFragments.timescales(of: $0)) }
    }
}
