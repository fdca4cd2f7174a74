import Catalogue
import HLS
import Timeline

/// The tags before the first segment.
extension MediaPlaylistRenderer {
    mutating func writeHead() {
        var head = MediaPlaylist()
        head.version = version
        head.targetDurationSeconds = contents.targetSeconds
        head.isIndependentSegments = isIndependent
        head.start = start
        guard let first = rendition.segments.first else { return }
        head.mediaSequence = contents.plan.kind == .closed ? 0 : UInt64(max(0, first.number ?? 0))
        head.discontinuitySequence = UInt64(max(0, contents.discontinuities.sequence(of: first)))
        head.type = contents.playlistType
        var writer = PlaylistWriter(reservingCapacity: 256)
        head.writeHead(&writer)
        buffer.append(writer.bytes)
        // EXT-X-DATERANGE is the last of the tags that belong to the playlist.
        writeMarkers(before: first)
    }

    /// The lowest version that the playlist needs; Apple's documentation requires 8 for GAP.
    ///
    /// A growing playlist that may contain GAP later has this version from the start.
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

    /// A growing playlist cannot promise this for future segments.
    private var isIndependent: Bool {
        contents.plan.kind == .closed && rendition.segments.isIndependent
    }

    /// The start offset, if the requested begin lies inside the first segment.
    ///
    /// An event playlist always has one, because players would otherwise start an unfinished playlist near
    /// its end. It never changes: the published log only grows, so the first segment stays the same until it
    /// expires.
    private var start: StartPoint? {
        guard contents.plan.kind != .sliding, let first = rendition.segments.first else { return nil }
        let offset = contents.plan.window.begin - first.start
        if offset > Limits.timeTolerance, offset < first.duration {
            return StartPoint(offsetMicroseconds: min(offset, first.mediaDuration), isPrecise: true)
        }
        return contents.plan.kind == .event ? StartPoint(offsetMicroseconds: 0, isPrecise: true) : nil
    }
}
