import Postgres
package import Timeline

/// The quarters of a rendition in which the first and the last segment of a window begin.
package struct EdgeQuarters: Sendable, Equatable {
    package var first: Quarter
    package var last: Quarter

    package init(first: Quarter, last: Quarter) {
        (self.first, self.last) = (first, last)
    }

    /// Both, or the one that they are.
    package var quarters: [Quarter] { first == last ? [first] : [first, last] }
}

extension Catalogue {
    /// The first and the last quarters of some renditions that reach into a window, from their summaries.
    ///
    /// Renditions without any are left out. A quarter that holds segments before and behind the window, and
    /// none in it, counts too.
    package func edgeQuarters(
        of renditions: [Int32], in window: TimeWindow,
    ) async throws(CatalogueError) -> [Int32: EdgeQuarters] {
        guard !renditions.isEmpty, !window.isEmpty else { return [:] }
        let (begin, end) = (window.begin.microseconds, window.end.microseconds)
        let earliest = (window.begin - (Quarter.microseconds + Self.longestSegment)).microseconds
        return try await mappingErrors {
            let rows = try await pool.query(
                """
                SELECT rendition_id, first.quarter_us AS first_us, last.quarter_us AS last_us
                FROM unnest(\(renditions)) AS wanted(rendition_id)
                CROSS JOIN LATERAL (
                    SELECT quarter_us FROM block b WHERE b.rendition_id = wanted.rendition_id
                        AND quarter_us > \(earliest) AND quarter_us < \(end) AND begin_us < \(end) AND end_us > \(begin)
                    ORDER BY quarter_us LIMIT 1) AS first
                CROSS JOIN LATERAL (
                    SELECT quarter_us FROM block b WHERE b.rendition_id = wanted.rendition_id
                        AND quarter_us > \(earliest) AND quarter_us < \(end) AND begin_us < \(end) AND end_us > \(begin)
                    ORDER BY quarter_us DESC LIMIT 1) AS last
                """)
            var edges: [Int32: EdgeQuarters] = [:]
            for row in rows {
                let rendition = try row.decode("rendition_id", as: Int32.self)
                edges[rendition] = EdgeQuarters(
                    first: Quarter(rendition: rendition, containing: try row.decode("first_us")),
                    last: Quarter(rendition: rendition, containing: try row.decode("last_us")))
            }
            return edges
        }
    }
}
