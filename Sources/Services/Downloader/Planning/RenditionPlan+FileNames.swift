import HLS
import HTTP

/// The names of the files of parts, and what they say of their container.
extension RenditionPlan {
    /// Endings that players and web servers know, by those that sources use.
    private static let endings = [
        "ts": "ts", "m2ts": "ts", "mts": "ts", "m4s": "m4s", "mp4": "m4s", "m4v": "m4s", "m4a": "m4s",
        "cmfv": "m4s", "cmfa": "m4s", "cmft": "m4s", "aac": "aac", "mp3": "mp3", "ac3": "ac3", "ec3": "ec3",
        "vtt": "vtt", "webvtt": "vtt",
    ]

    /// At least five digits and an ending like that of the URL; the ending may not match the content.
    static func fileName(_ number: Int, of part: Part) -> String {
        let digits = String(number)
        let zeros = String(repeating: "0", count: max(0, 5 - digits.count))
        return "\(zeros)\(digits).\(ending(of: part))"
    }

    /// A part that has its name keeps its ending: a recorded one has no URL of its own.
    private static func ending(of part: Part) -> String {
        if let named = part.names.file.split(separator: ".").last { return String(named) }
        let last = part.url.path.split(separator: "/").last?.split(separator: ".").last.map(String.init)
        if let known = last.flatMap({ endings[$0.lowercased()] }) { return known }
        return part.segment.map == nil ? "ts" : "m4s"
    }

    /// Whether the file names of the segments say that they are packed audio.
    var isPackedAudio: Bool {
        parts.first.map { ["aac", "mp3", "ac3", "ec3"].contains(Self.ending(of: $0)) } ?? false
    }

    /// Whether no segment of the folder has the container of the first segment.
    var hasOtherContainer: Bool {
        guard !kept.isEmpty, let first = parts.first else { return false }
        let ending = ".\(Self.ending(of: first))"
        return !kept.values.contains { $0.file.hasSuffix(ending) }
    }
}
