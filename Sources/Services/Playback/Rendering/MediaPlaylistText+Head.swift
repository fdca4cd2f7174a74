import Catalogue
import HLS
import Timeline

/// What stands before the first segment.
extension MediaPlaylistText {
    mutating func writeHead() {
        var head = MediaPlaylist()
        head.version = version
        head.targetDurationSeconds = contents.targetSeconds
        head.isIndependentSegments = isIndependent
        head.start = start
        guard let first = rendition.segments.first else { return }
        head.mediaSequence = contents.plan.kind == .closed ? 0 : UInt64(max(0, first.number ?? 0))
        head.discontinuitySequence = UInt64(max(0, contents.discontinuities.sequence(of: first)))
        switch contents.plan.kind {
        case .closed: head.type = .videoOnDemand
        // Where segments are removed the type must not be EVENT (RFC 8216bis §4.4.3.5, §6.2.2).
        case .event: head.type = contents.plan.losesHead ? nil : .event
        case .sliding: head.type = nil
        }
        var writer = PlaylistWriter(reservingCapacity: 256)
        head.writeHead(&writer)
        buffer.append(writer.bytes)
    }

    /// The smallest version that the list needs; GAP counts as 8, as on Apple's own page.
    ///
    /// A growing list that may get GAP says so from its beginning.
    private var version: Int {
        let needed = texts.values.reduce(3) { max($0, $1.version) }
        guard contents.writesGaps else { return needed }
        return contents.plan.kind == .event || hasHoles ? 8 : needed
    }

    private var hasHoles: Bool {
        zip(rendition.segments, rendition.segments.dropFirst()).contains {
            $1.start - $0.end > Limits.holeTolerance
        }
    }

    /// A growing list cannot promise it for what is to come.
    private var isIndependent: Bool {
        contents.plan.kind == .closed && rendition.segments.isIndependent
    }

    /// Where the viewer wanted to begin, when that is inside the first segment.
    ///
    /// Start-over always says it, or players would begin an unfinished list near its end. Every answer says the same:
    /// the published log only grows, so the first segment stays the first until retention takes it.
    private var start: StartPoint? {
        guard contents.plan.kind != .sliding, let first = rendition.segments.first else { return nil }
        let offset = contents.plan.window.begin - first.start
        if offset > Limits.grain, offset < first.duration {
            return StartPoint(offsetMicroseconds: offset, isPrecise: true)
        }
        return contents.plan.kind == .event ? StartPoint(offsetMicroseconds: 0, isPrecise: true) : nil
    }
}
