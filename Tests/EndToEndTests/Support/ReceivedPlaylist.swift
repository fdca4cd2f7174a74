import Foundation
import HTTPSupport

/// A media playlist read in the simplest way, by nothing that the programs use themselves.
struct ReceivedPlaylist {
    struct Segment: Equatable {
        /// Relative to the playlist.
        var uri: String
        var seconds: Double
        /// Milliseconds since 1970, where the list says it.
        var date: Int64?
        var discontinuities = 0
    }

    let text: String
    private(set) var segments: [Segment] = []

    init(_ text: String) throws {
        self.text = text
        var next = Segment(uri: "", seconds: 0)
        for line in text.split(separator: "\n").map(String.init) {
            if line.hasPrefix("#EXTINF:") {
                next.seconds = Double(line.dropFirst(8).prefix { $0 != "," }) ?? 0
            } else if line.hasPrefix("#EXT-X-PROGRAM-DATE-TIME:") {
                next.date = try Instant.milliseconds(String(line.dropFirst(25)))
            } else if line == "#EXT-X-DISCONTINUITY" {
                next.discontinuities += 1
            } else if !line.hasPrefix("#") {
                next.uri = line
                segments.append(next)
                next = Segment(uri: "", seconds: 0)
            }
        }
    }

    var lines: [String] { text.split(separator: "\n").map(String.init) }
    var isEnded: Bool { lines.last == "#EXT-X-ENDLIST" }
    var uris: [String] { segments.map(\.uri) }
    var discontinuities: Int { segments.map(\.discontinuities).reduce(0, +) }

    /// The value of the first tag of a name, nil when there is none.
    func tag(_ name: String) -> String? {
        lines.first { $0.hasPrefix("#\(name):") }.map { String($0.dropFirst(name.count + 2)) }
    }

    /// The distinct values of an attribute in quotes, over all tags of a name, in order.
    func attributes(_ attribute: String, of name: String) -> [String] {
        var found: [String] = []
        for line in lines where line.hasPrefix("#\(name):") {
            guard let start = line.range(of: "\(attribute)=\"")?.upperBound else { continue }
            let value = String(line[start...].prefix { $0 != "\"" })
            if !found.contains(value) { found.append(value) }
        }
        return found
    }
}
