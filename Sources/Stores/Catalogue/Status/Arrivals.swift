import Postgres
package import Timeline

/// How late the newest published segments of a channel arrived, by the recorder's clock.
///
/// Neither value changes while a channel stands still, so they show since when it has stopped.
package struct Arrivals: Sendable, Equatable {
    /// How long after its end a segment is usually first listed, microseconds.
    ///
    /// It is the minimum of many segments: those that arrive in a burst after a pause say nothing about the
    /// source's clock.
    package var lag: Int64
    /// When the newest segment was first listed; nil if there is none.
    package var newest: Instant?

    package init(lag: Int64 = 0, newest: Instant? = nil) {
        self.lag = lag
        self.newest = newest
    }

    /// When a channel with this watermark last made progress.
    ///
    /// A lost segment also moves the watermark but never arrives.
    package func lastMove(watermark: Instant) -> Instant {
        max(watermark + lag, newest ?? watermark)
    }
}

extension Catalogue {
    /// Measures the newest segments before the end of the published log.
    ///
    /// The bounds are parameters of the statement, so that PostgreSQL does not plan for partitions outside
    /// them.
    func arrivals(of channel: Int32, before end: Instant) async throws -> Arrivals {
        let begin = end - Limits.arrivalSpan
        let rows = try await pool.query(
            """
            SELECT min(arrived_us - start_us - duration_us) AS lag, max(arrived_us) AS newest
            FROM rendition r, LATERAL (
                SELECT s.start_us, s.duration_us, s.arrived_us FROM segment s
                WHERE s.rendition_id = r.rendition_id AND s.start_us >= \(begin.microseconds)
                    AND s.start_us < \(end.microseconds) AND s.number IS NOT NULL
                ORDER BY s.start_us DESC LIMIT \(Limits.arrivalSegments)) AS newest
            WHERE r.channel_id = \(channel) AND arrived_us > 0
            """)
        guard let row = rows.first, let lag = try row.decode("lag", as: Int64?.self) else {
            return Arrivals()
        }
        return Arrivals(
            lag: max(0, lag),
            newest: try row.decode("newest", as: Int64?.self).map(Instant.init(microseconds:)))
    }
}
