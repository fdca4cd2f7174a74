import MediaFormat

/// The cues of one rendition of WebVTT segments as one text, in the time of the file that gets them.
struct SubtitleTrack: Sendable {
    /// Where the media of a segment is: its first MPEG time, and the same instant in the file.
    struct Anchor: Sendable, Equatable {
        /// Ticks of 90 kHz.
        var mpegTicks: Int64
        /// Milliseconds from the start of the file.
        var position: Int64
    }

    private struct Cue: Hashable {
        /// Milliseconds from the start of the file.
        var begin: Int64
        var end: Int64
        var text: String
    }

    private var cues: [Cue] = []
    private var known: Set<Cue> = []

    var isEmpty: Bool { cues.isEmpty }

    /// Adds the cues of a segment; a cue that an earlier segment also had is not added again.
    ///
    /// With an X-TIMESTAMP-MAP in the header (RFC 8216 §3.5), `anchor` maps the cue times to the file.
    /// Without a map or an anchor, they count from the start of the source's presentation, which is at
    /// `origin` milliseconds in the file.
    mutating func append(_ text: String, anchor: Anchor?, origin: Int64) {
        let blocks = Self.blocks(of: text)
        let map = blocks.first.flatMap(Self.map)
        var offset = origin
        if let map, let anchor {
            let ticks = PackedTimes.difference(map.mpegTicks, anchor.mpegTicks)
            offset = anchor.position + ticks / 90 - map.local
        }
        for block in blocks {
            guard let cue = Self.cue(of: block, offset: offset), cue.end > 0, known.insert(cue).inserted
            else {
                continue
            }
            cues.append(cue)
        }
    }

    /// The whole track as WebVTT, in the order of time.
    var text: String {
        let blocks = cues.sorted { ($0.begin, $0.end) < ($1.begin, $1.end) }.map { cue in
            "\(Self.time(max(0, cue.begin))) --> \(Self.time(cue.end))\n\(cue.text)\n"
        }
        return "WEBVTT\n\n" + blocks.joined(separator: "\n")
    }

    /// The text between empty lines; line ends are those of any system.
    private static func blocks(of text: String) -> [[Substring]] {
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
        return lines.split { $0.isEmpty }.map { Array($0) }
    }

    private static func map(of header: [Substring]) -> (mpegTicks: Int64, local: Int64)? {
        let name = "X-TIMESTAMP-MAP="
        guard let line = header.first(where: { $0.hasPrefix(name) }) else { return nil }
        var (ticks, local): (Int64?, Int64?) = (nil, nil)
        for part in line.dropFirst(name.count).split(separator: ",") {
            // Some packagers count on beyond the 33 bits of MPEG times.
            if part.hasPrefix("MPEGTS:") {
                ticks = UInt64(part.dropFirst(7)).map { Int64($0 & PresentationTime.mask) }
            }
            if part.hasPrefix("LOCAL:") { local = milliseconds(part.dropFirst(6)) }
        }
        guard let ticks, let local else { return nil }
        return (ticks, local)
    }

    /// A block without times is a comment, a style or a region.
    private static func cue(of block: [Substring], offset: Int64) -> Cue? {
        guard let index = block.firstIndex(where: { $0.contains("-->") }), index + 1 < block.count else {
            return nil
        }
        let words = block[index].split { $0 == " " || $0 == "\t" }
        guard words.count >= 3, words[1] == "-->", let begin = milliseconds(words[0]),
            let end = milliseconds(words[2]), begin < end
        else { return nil }
        return Cue(
            begin: begin + offset, end: end + offset, text: block[(index + 1)...].joined(separator: "\n"))
    }

    /// `00:03.000` or `1:00:03.000`.
    private static func milliseconds(_ text: Substring) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let last = parts.last else { return nil }
        let halves = last.split(separator: ".", omittingEmptySubsequences: false)
        guard halves.count == 2, halves[1].utf8.count == 3 else { return nil }
        var sum: Int64 = 0
        for digits in parts.dropLast() + [halves[0]] {
            guard digits.utf8.count <= 6, let number = UInt32(digits) else { return nil }
            sum = sum * 60 + Int64(number)
        }
        return UInt32(halves[1]).map { sum * 1000 + Int64($0) }
    }

    private static func time(_ milliseconds: Int64) -> String {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let parts = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, to: 2) }
        return "\(parts.joined(separator: ":")).\(padded(rest, to: 3))"
    }

    private static func padded(_ number: Int64, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
