import Postgres
package import Timeline

/// A discontinuity sequence at which the target duration of a channel's growing playlists rose, or the first
/// known sequence.
package struct TargetRise: Sendable, Equatable {
    package var discontinuitySequence: Int32
    /// The boundary at which the sequence begins.
    package var begin: Instant
    package var targetSeconds: Int

    package init(discontinuitySequence: Int32, begin: Instant, targetSeconds: Int) {
        self.discontinuitySequence = discontinuitySequence
        self.begin = begin
        self.targetSeconds = targetSeconds
    }
}

extension Catalogue {
    /// The first discontinuity sequence of each target duration from one on, in their order.
    ///
    /// A target duration never falls, so a channel has few.
    package func targetRises(
        of channel: Int32, from sequence: Int32,
    ) async throws(CatalogueError) -> [TargetRise] {
        try await mappingErrors {
            let rows = try await pool.query(
                """
                SELECT min(epoch) AS epoch, min(begin_us) AS begin_us, target_seconds FROM epoch
                WHERE channel_id = \(channel) AND epoch >= \(sequence) GROUP BY target_seconds ORDER BY 1
                """)
            return try rows.map { row in
                TargetRise(
                    discontinuitySequence: try row.decode("epoch"),
                    begin: Instant(microseconds: try row.decode("begin_us")),
                    targetSeconds: try row.decode("target_seconds", as: Int.self))
            }
        }
    }
}
