import TestSupport
import Timeline

/// Markers as the catalogue has them, of which more becomes known from time to time.
enum RandomMarkers {
    static func markers(_ generator: inout SeededGenerator) -> [RecordedMarker] {
        (0..<Int.random(in: 1...6, using: &generator)).map { marker("m\($0)", &generator) }
            .sorted { $0.begin < $1.begin }
    }

    private static func marker(_ id: String, _ generator: inout SeededGenerator) -> RecordedMarker {
        let begin = at(Double.random(in: -100...600, using: &generator).rounded())
        var names = ["PLANNED-DURATION", "DURATION", "X-A", "X-B"].shuffled(using: &generator)[...]
        var versions: [RecordedMarker.Version] = []
        var shown = begin + Int64.random(in: -700...60, using: &generator) * 1_000_000
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let name = names.popFirst() ?? "X-C"
            var until = begin + Int64.random(in: 0...200, using: &generator) * 1_000_000
            if let last = versions.last { until = max(until, min(last.until, shown)) }
            versions.append(
                RecordedMarker.Version(
                    shown: shown, until: until,
                    attributes: [PlaylistAttribute(name: name, value: "7", isQuoted: name.hasPrefix("X"))]))
            shown = shown + Int64.random(in: 0...90, using: &generator) * 1_000_000
        }
        return RecordedMarker(id: id, begin: begin, end: nil, classID: nil, versions: versions)
    }
}
