import Postgres
package import Timeline

extension Catalogue {
    /// The recorded spans nearest to a window, nearest first; a 404 response offers them.
    package func available(of channel: Int32, near window: TimeWindow, limit: Int)
        async throws(CatalogueError) -> [TimeWindow]
    {
        let publishedHead = try await publishedHead(of: channel)
        return try await mappingErrors {
            let known = TimeWindow(begin: publishedHead.expiredBefore, end: publishedHead.watermark)
            guard known.begin < known.end else { return [] }
            var found: [TimeWindow] = []
            for rendition in try await covering(channel, in: known) {
                let around = try await nearestQuarters(of: window, in: rendition).clamped(to: known)
                found += try await spans(of: rendition, in: around).map(\.window)
            }
            let nearest = TimeWindow.joined(found).sorted {
                $0.distance(to: window) < $1.distance(to: window)
            }
            return Array(nearest.prefix(limit))
        }
    }

    /// The recorded quarters nearest to a window, combined into one window.
    private func nearestQuarters(of window: TimeWindow, in rendition: Int32) async throws -> TimeWindow {
        let middle = (window.begin.microseconds / 2 + window.end.microseconds / 2).clamped(to: Self.plausible)
        // Two scans of the index, not a sort of everything that was ever recorded.
        let near = try await pool.query(
            """
            (SELECT quarter_us FROM block WHERE rendition_id = \(rendition) AND quarter_us >= \(middle)
            ORDER BY quarter_us LIMIT \(Limits.quartersOffered))
            UNION ALL
            (SELECT quarter_us FROM block WHERE rendition_id = \(rendition) AND quarter_us < \(middle)
            ORDER BY quarter_us DESC LIMIT \(Limits.quartersOffered))
            """
        ).map { try $0.decode("quarter_us", as: Int64.self) }
        let quarters = near.sorted { abs($0 - middle) < abs($1 - middle) }.prefix(Limits.quartersOffered)
        let (first, last) = (quarters.min() ?? 0, quarters.max() ?? 0)
        return TimeWindow(
            begin: Instant(microseconds: first), end: Instant(microseconds: last) + Quarter.microseconds)
    }

    /// Limits for which the difference of two values fits into 64 bits.
    private static let plausible: ClosedRange<Int64> = (.min / 4)...(.max / 4)
}

extension TimeWindow {
    /// Microseconds between two windows; zero if they touch.
    package func distance(to other: TimeWindow) -> Int64 {
        Swift.max(0, Swift.max(begin - other.end, other.begin - end))
    }
}
