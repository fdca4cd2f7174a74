import Postgres
import Timeline

extension Catalogue {
    /// SQL for the instant from which gaps of a channel count, for a row `l` of `line`.
    ///
    /// It is the expiry cut or, if that is close enough, the start of the first segment after it: a segment
    /// that the cut divides expires as a whole, and the rest of its time is not a gap. A segment is at most
    /// half a second longer than the target duration (RFC 8216 §4.3.3.1).
    static let firstGapStart = """
        coalesce((
            SELECT min(greatest(s.start_us, l.forgotten_us)) FROM rendition r JOIN segment s USING (rendition_id)
            WHERE r.channel_id = l.channel_id AND s.start_us > l.forgotten_us - \(longestSegment)
                AND s.start_us < \(firstKeptEnd) AND s.start_us + s.duration_us > l.forgotten_us),
            l.forgotten_us)
        """

    /// SQL for the latest start of the first segment after the expiry cut.
    static let firstKeptEnd = "l.forgotten_us + l.target_seconds * 1000000::bigint + 500000"

    func firstGapStart(of channel: Int32) async throws -> Instant {
        let rows = try await pool.query(
            "SELECT \(verbatim: Self.firstGapStart) AS begin_us FROM line l WHERE l.channel_id = \(channel)")
        guard let row = rows.first else {
            throw CatalogueError.unreadable("channel \(channel) has no published head")
        }
        return Instant(microseconds: try row.decode("begin_us"))
    }
}
