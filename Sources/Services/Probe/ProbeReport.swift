package import HLS

/// What a text is, read as a recorder reads it, and whether it can be recorded.
package struct ProbeReport: Sendable, Equatable {
    /// The outcome of reading.
    package enum Outcome: Sendable, Equatable {
        case read(Playlist)
        case refused(reason: String)
    }

    /// The file or URL, as it was given.
    package var source: String
    package var outcome: Outcome
    /// The deviations that were tolerated.
    package var notes: [DeviationNote] = []

    package init(source: String, refusedBecause reason: String) {
        self.source = source
        outcome = .refused(reason: reason)
    }

    /// Reads the bytes of a source; a text that is no playlist gives a report that says so.
    package init(source: String, bytes: [UInt8], variables: VariableSource = VariableSource()) {
        self.source = source
        do throws(PlaylistError) {
            let read = try Playlist.reading(bytes, source: variables)
            outcome = .read(read.playlist)
            notes = read.notes
        } catch {
            outcome = .refused(reason: "\(error)")
        }
    }

    /// Whether it is not a playlist that can be read.
    package var isRefused: Bool {
        if case .refused = outcome { true } else { false }
    }

    /// Why it cannot be recorded; nil when it can.
    var obstacle: String? {
        switch outcome {
        case .refused(let reason): reason
        case .read(.media(let playlist)):
            playlist.isIFramesOnly ? "it holds I-frames only, which is not a channel" : nil
        case .read(.multivariant(let playlist)):
            playlist.variants.isEmpty ? "it has no variant" : nil
        }
    }
}

/// The counts that a report states of a media playlist.
struct SegmentCounts {
    var discontinuities = 0
    var keyed = 0
    var mapped = 0
    var byteRanges = 0
    var gaps = 0
    var parts = 0

    init(_ playlist: MediaPlaylist) {
        for segment in playlist.segments {
            discontinuities += segment.discontinuityCount
            keyed += segment.keys.isEmpty ? 0 : 1
            mapped += segment.map == nil ? 0 : 1
            byteRanges += segment.byteRange == nil ? 0 : 1
            gaps += segment.isGap ? 1 : 0
            parts += segment.partLines.count
        }
        parts += Self.partCount(playlist.trailingLines) + Self.partCount(playlist.unknownLines)
    }

    /// Parts of a segment that is not listed yet are among the lines after the last segment.
    private static func partCount(_ lines: [String]) -> Int {
        lines.count { $0.hasPrefix("#\(PlaylistTag.part.rawValue):") }
    }
}
