import Postgres
package import Timeline

extension Catalogue {
    /// Returns the markers of a channel that lie in a window, in the order of their begins, at most `limit`.
    ///
    /// A marker of unknown length lies where it begins.
    package func markers(
        of channel: Int32, in window: TimeWindow, limit: Int = Limits.markersPerRead,
    ) async throws(CatalogueError) -> [RecordedMarker] {
        guard !window.isEmpty else { return [] }
        let (begin, end) = (window.begin.microseconds, window.end.microseconds)
        return try await mappingErrors {
            try await pool.query(
                """
                SELECT \(verbatim: MarkerRow.columns) FROM marker
                WHERE channel_id = \(channel) AND begin_us < \(end) AND (begin_us >= \(begin) OR until_us > \(begin))
                ORDER BY begin_us, marker_id, source_us LIMIT \(limit)
                """
            ).map { try MarkerRow(from: $0).recorded }
        }
    }
}
