import Postgres
import Timeline

/// Late facts of a timeline that the channel has left.
extension BatchWriter {
    /// Removes from the batch what was recorded before the channel was reanchored, at times ahead of it.
    ///
    /// Identities and losses are dropped: a recorder would resume from the identities, and the losses would
    /// explain gaps at times that are still to come. Markers are dropped too, because the source lists them
    /// again.
    ///
    /// - Returns: the removed segments
    mutating func removePreviousTimeline(of point: ReanchorPoint, now: Instant) -> [DecidedSegment] {
        let ahead = batch.segments.filter { point.setsAside($0.fact) }
        batch.segments.removeAll { point.setsAside($0.fact) }
        batch.losses.removeAll { $0.window.begin > now + Limits.reanchorMargin }
        if batch.fence < point.fence {
            batch.keyPending.removeAll { $0.start >= point.instant }
            batch.lost.removeAll { $0.start >= point.instant }
            batch.listed.removeAll { $0.start >= point.instant }
            batch.markers.removeAll { $0.begin > now + Limits.reanchorMargin }
        }
        return ahead
    }

    /// Stores segments apart from the timeline.
    ///
    /// An identity that was recorded again since then is left out; its bytes stay until their hour is
    /// deleted.
    func enterSetAside(
        _ segments: [DecidedSegment], _ head: MovedHead,
    ) async throws {
        guard !segments.isEmpty else { return }
        let rows = IncomingSegment.rows(of: segments, in: batch.channel, head, isPublished: false)
        let touched = try await SegmentWriter(transaction: transaction).enter(rows, staysApart: true)
        let renditions = try await renditionRows()
        let facts = segments.map(\.fact).filter { renditions[$0.identity.rendition] != nil }
        let days = DayRange(around: facts)
        _ = try await transaction.query(
            """
            WITH incoming AS (
                SELECT * FROM unnest(\(facts.compactMap { renditions[$0.identity.rendition] }),
                    \(facts.map(\.identity.run)), \(facts.map(\.identity.number)),
                    \(facts.map(\.start.microseconds))) AS t(rendition_id, feed_id, origin_number, start_us)),
            gone AS (
                DELETE FROM segment s USING incoming i
                WHERE s.rendition_id = i.rendition_id AND s.feed_id = i.feed_id
                    AND s.origin_number = i.origin_number AND s.start_us = i.start_us AND s.number IS NULL
                    AND s.start_us >= \(number: days.begin) AND s.start_us < \(number: days.end)
                RETURNING s.*),
            unknown AS (
                DELETE FROM intake i USING gone g
                WHERE i.rendition_id = g.rendition_id AND i.feed_id = g.feed_id
                    AND i.origin_number = g.origin_number)
            INSERT INTO set_aside (\(verbatim: SetAside.names)) \(verbatim: SetAside.rowsOfGone)
            """)
        try await transaction.summarise(touched[batch.channel])
    }
}
