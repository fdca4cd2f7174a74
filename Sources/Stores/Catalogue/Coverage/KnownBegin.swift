import Postgres
import Timeline

extension Catalogue {
    /// Where gaps of a channel can begin: at its cut, or at the first segment behind it when that is nearer than a
    /// segment can be long.
    ///
    /// The segment that the cut went through is forgotten as a whole, and what is left of its time is no gap. A segment
    /// is shorter than half a second over the target duration (RFC 8216 §4.3.3.1). SQL for a row `l` of `line`.
    static let knownBegin = """
        coalesce((
            SELECT min(greatest(s.start_us, l.forgotten_us)) FROM rendition r JOIN segment s USING (rendition_id)
            WHERE r.channel_id = l.channel_id AND s.start_us > l.forgotten_us - \(longestSegment)
                AND s.start_us < \(firstKeptEnd) AND s.start_us + s.duration_us > l.forgotten_us),
            l.forgotten_us)
        """

    /// The instant before which the segment that follows the cut one begins.
    static let firstKeptEnd = "l.forgotten_us + l.target_seconds * 1000000::bigint + 500000"

    func knownBegin(of channel: Int32) async throws -> Instant {
        let rows = try await pool.query(
            "SELECT \(verbatim: Self.knownBegin) AS begin_us FROM line l WHERE l.channel_id = \(channel)")
        guard let row = rows.first else { throw CatalogueError.unreadable("no line of channel \(channel)") }
        return Instant(microseconds: try row.decode("begin_us"))
    }
}
