import HLS

extension ProbeReport {
    /// The report for a person: a line for the source, and further ones that are indented.
    package var text: String {
        let lines = details + notes.map(\.description)
        return lines.reduce("\(source): \(verdict)\n") { $0 + "  \($1)\n" }
    }

    private var verdict: String {
        let ability = obstacle.map { "cannot be recorded: \($0)" } ?? "can be recorded"
        switch outcome {
        case .read(.media): return "media playlist, \(ability)"
        case .read(.multivariant): return "multivariant playlist, \(ability)"
        case .refused(let reason): return "refused: \(reason)"
        }
    }

    private var details: [String] {
        switch outcome {
        case .read(.media(let playlist)): [Self.times(of: playlist)] + Self.counts(of: playlist)
        case .read(.multivariant(let playlist)):
            ["variants: \(playlist.variants.count), renditions: \(playlist.renditions.count)"]
        case .refused: []
        }
    }

    private static func times(of playlist: MediaPlaylist) -> String {
        let seconds = Double(playlist.durationMicroseconds) / 1_000_000
        var words = [
            "segments: \(playlist.segments.count) from number \(playlist.mediaSequence), \(seconds) s"
        ]
        if let target = playlist.targetDurationSeconds {
            words.append(
                "target duration \(target) s" + (playlist.isTargetDurationDerived ? " (derived)" : ""))
        }
        if let type = playlist.type { words.append(type.rawValue) }
        words.append(playlist.isEnded ? "ended" : "live")
        return words.joined(separator: ", ")
    }

    /// One line with the counts that are not 0.
    private static func counts(of playlist: MediaPlaylist) -> [String] {
        let counts = SegmentCounts(playlist)
        let words = [
            ("discontinuities", counts.discontinuities), ("with a key", counts.keyed),
            ("with an initialization section", counts.mapped), ("byte ranges", counts.byteRanges),
            ("gaps", counts.gaps), ("parts", counts.parts),
        ].filter { $0.1 > 0 }.map { "\($0.0): \($0.1)" }
        return words.isEmpty ? [] : [words.joined(separator: ", ")]
    }
}
