import Postgres
package import Timeline

extension Catalogue {
    /// Returns the markers of a channel that lie in a window, in the order of their begins, at most `limit`.
    ///
    /// A marker of unknown length lies where it begins. Many are read in several statements, so that each is
    /// short.
    package func markers(
        of channel: Int32, in window: TimeWindow, limit: Int = Limits.markersPerRead,
    ) async throws(CatalogueError) -> [RecordedMarker] {
        guard !window.isEmpty else { return [] }
        var found: [MarkerRow] = []
        while found.count < limit {
            let wanted = min(limit - found.count, Limits.markersPerRead)
            let page = try await markers(of: channel, in: window, after: found.last, wanted)
            found += page
            if page.count < wanted { break }
        }
        return found.map(\.recorded)
    }

    /// The next markers after one, at most `limit`; with nil the first ones.
    private func markers(
        of channel: Int32, in window: TimeWindow, after last: MarkerRow?, _ limit: Int,
    ) async throws(CatalogueError) -> [MarkerRow] {
        let (begin, end) = (window.begin.microseconds, window.end.microseconds)
        let lastBegin = last?.begin.microseconds ?? .min
        let (lastID, lastSource) = (last?.key.id ?? "", last?.key.sourceStart.microseconds ?? .min)
        return try await mappingErrors {
            try await pool.query(
                """
                SELECT \(verbatim: MarkerRow.columns) FROM marker
                WHERE channel_id = \(channel) AND begin_us < \(end) AND (begin_us >= \(begin) OR until_us > \(begin))
                AND (begin_us, marker_id, source_us) > (\(lastBegin), \(lastID), \(lastSource))
                ORDER BY begin_us, marker_id, source_us LIMIT \(limit)
                """
            ).map { try MarkerRow(from: $0) }
        }
    }
}
