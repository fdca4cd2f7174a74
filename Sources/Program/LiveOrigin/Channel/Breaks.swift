/// Advertising breaks of two segments at regular intervals, announced by EXT-X-DATERANGE and by cue tags.
struct Breaks: Sendable, Equatable {
    /// Segments from the beginning of one break to that of the next.
    var every: Int

    static let segments = 2

    /// The ranges of the breaks whose first segment is listed; the end of one is stated when it has passed.
    func dateRanges(_ listings: [Listing]) -> [String] {
        listings.enumerated().compactMap { index, first in
            guard isFirst(first.number), let date = first.date else { return nil }
            var line =
                "#EXT-X-DATERANGE:ID=\"break-\(first.number)\",CLASS=\"test.break\","
                + "START-DATE=\"\(DateText.rfc3339(seconds: date))\","
                + "PLANNED-DURATION=\(MediaPlaylistText.seconds(first.durationSeconds * Double(Self.segments))),"
                + "SCTE35-OUT=0xFC30"
            let end = listings.dropFirst(index).first { $0.number == first.number + Self.segments }?.date
            if let end { line += ",END-DATE=\"\(DateText.rfc3339(seconds: end))\",SCTE35-IN=0xFC31" }
            return line
        }
    }

    /// The tags in front of a segment.
    func cueTags(_ number: Int) -> [String] {
        switch number % every {
        case 1: ["#EXT-OATCLS-SCTE35:/DA=", "#EXT-X-CUE-OUT:DURATION=\(Self.segments)"]
        case 2: ["#EXT-X-CUE-OUT-CONT:1/\(Self.segments)"]
        case 1 + Self.segments: ["#EXT-X-CUE-IN"]
        default: []
        }
    }

    private func isFirst(_ number: Int) -> Bool { number % every == 1 }
}
