import Postgres
package import Timeline

/// The cue tags in front of a segment.
package struct RecordedCueTags: Sendable, Equatable {
    /// The start of the segment.
    package var begin: Instant
    package var tags: [String]

    package init(begin: Instant, tags: [String]) {
        self.begin = begin
        self.tags = tags
    }
}

extension Catalogue {
    /// The cue tags of the segments that begin in a window, in the order of their begins; what several
    /// renditions repeat is there once.
    ///
    /// The index says which segments have any; only those are read.
    ///
    /// - Returns: also where each segment begins that has any, one more than `Limits.timelineEntries` at most
    func cueTags(
        of channel: Int32, in window: TimeWindow,
    ) async throws -> (tags: [RecordedCueTags], begins: [Instant]) {
        let rows = try await pool.query(
            """
            WITH tagged AS MATERIALIZED (
                SELECT s.rendition_id, r.name, s.start_us, s.kept FROM rendition r JOIN segment s USING (rendition_id)
                WHERE r.channel_id = \(channel) AND s.start_us >= \(window.begin.microseconds)
                    AND s.start_us < \(window.end.microseconds)
                    AND s.flags & \(SegmentFlags.hasCueTags.rawValue) <> 0
                ORDER BY s.start_us LIMIT \(Limits.timelineEntries + 1))
            SELECT t.name, s.start_us, s.duration_us, s.cue_tags
            FROM tagged t JOIN segment s USING (rendition_id, start_us, kept)
            ORDER BY s.start_us, t.name
            """)
        var repeats = RepeatedCueTags()
        var (found, begins): ([RecordedCueTags], [Instant]) = ([], [])
        for row in rows {
            let begin = Instant(microseconds: try row.decode("start_us"))
            begins.append(begin)
            let tags = repeats.dropping(
                from: CueTagText.tags(try row.decode("cue_tags", as: String?.self) ?? ""), at: begin,
                within: try row.decode("duration_us", as: Int64.self) / 2, of: try row.decode("name"))
            if !tags.isEmpty { found.append(RecordedCueTags(begin: begin, tags: tags)) }
        }
        return (found, begins)
    }
}

/// Tells tags that a rendition repeats of another one: equal ones less than half a segment apart.
struct RepeatedCueTags {
    private var recent: [String: (begin: Instant, rendition: String)] = [:]

    mutating func dropping(
        from tags: [String], at begin: Instant, within distance: Int64, of rendition: String,
    ) -> [String] {
        tags.filter { tag in
            if let known = recent[tag], known.rendition != rendition, begin - known.begin < distance {
                return false
            }
            recent[tag] = (begin, rendition)
            return true
        }
    }
}
