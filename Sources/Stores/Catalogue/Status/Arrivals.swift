import Postgres
package import Timeline

/// How the newest published segments of a channel came in, by the recorder's clock.
///
/// Both stay as they are while a channel stands still: what a stop looks like is told from them.
package struct Arrivals: Sendable, Equatable {
    /// How much later than its end a segment is first listed in normal running, microseconds.
    ///
    /// It is the least of many: what comes in a burst after a stop says nothing of the source's clock.
    package var lag: Int64
    /// When the newest one was first listed; nil when there is none.
    package var newest: Instant?

    package init(lag: Int64 = 0, newest: Instant? = nil) {
        self.lag = lag
        self.newest = newest
    }

    /// When a channel that is published up to a watermark last moved.
    ///
    /// What is given up moves the watermark, too, and never arrives.
    package func lastMove(watermark: Instant) -> Instant {
        max(watermark + lag, newest ?? watermark)
    }
}

extension Catalogue {
    /// Reads how the newest segments before the end of a channel's published log came in.
    ///
    /// The bounds stand in the statement, so that days outside of them are not even planned for.
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
