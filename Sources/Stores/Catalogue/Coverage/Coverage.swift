import Postgres
package import Timeline

extension Catalogue {
    /// Returns the contiguous spans that a channel holds within a window, up to the live edge.
    ///
    /// A span is held by any video rendition, or by any audio rendition if the channel has no video. At most
    /// the newest `Limits.timelineEntries` are returned. If a rendition has more, the spans begin where those
    /// of all renditions are known.
    package func coverage(of channel: Int32, in window: TimeWindow) async throws(CatalogueError)
        -> [TimeWindow]
    {
        let publishedHead = try await publishedHead(of: channel)
        return try await mappingErrors {
            let known = TimeWindow(begin: publishedHead.expiredBefore, end: publishedHead.watermark)
            guard known.begin < known.end, window.overlaps(known) else { return [] }
            let within = window.clamped(to: known)
            var (found, begin): ([TimeWindow], Instant) = ([], within.begin)
            for rendition in try await covering(channel, in: within) {
                let spans = try await spans(of: rendition, in: within, .newest).map(\.window)
                if spans.count > Limits.timelineEntries, let first = spans.first {
                    begin = max(begin, first.begin)
                }
                found += spans
            }
            let part = TimeWindow(begin: begin, end: within.end)
            let joined = TimeWindow.joined(found.filter { $0.overlaps(part) }.map { $0.clamped(to: part) })
            return Array(joined.suffix(Limits.timelineEntries))
        }
    }

    /// The renditions whose segments tell what a channel holds in a window, the newest ones if they are many.
    ///
    /// A source may replace its variants, and the choice of variants may change, so none of them tells alone.
    func covering(_ channel: Int32, in window: TimeWindow) async throws -> [Int32] {
        let all = try await describedRenditions(of: channel)
        let kinds = Set(all.map(\.1.id.kind))
        let kind = [RenditionKind.video, .audio, .subtitles].first { kinds.contains($0) }
        let rows = all.filter { $0.1.id.kind == kind }.map(\.0)
        let margin = Quarter.microseconds + Self.longestSegment
        let begin = Swift.max(window.begin.microseconds, .min / 4) - margin
        return try await pool.query(
            """
            SELECT id FROM unnest(\(rows)) AS wanted(id) WHERE EXISTS (
                SELECT FROM block WHERE rendition_id = id AND quarter_us > \(begin)
                    AND quarter_us < \(window.end.microseconds))
            ORDER BY id DESC LIMIT \(Limits.coveringRenditions)
            """
        ).map { try $0.decode("id") }
    }
}

extension TimeWindow {
    /// Windows that overlap or touch, give or take a millisecond, as one, in order.
    static func joined(_ windows: [TimeWindow]) -> [TimeWindow] {
        windows.sorted { $0.begin < $1.begin }.reduce(into: []) { joined, next in
            if let last = joined.last, next.begin <= last.end + Microseconds.perMillisecond {
                joined[joined.count - 1].end = max(last.end, next.end)
            } else {
                joined.append(next)
            }
        }
    }
}
