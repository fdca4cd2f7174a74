import Postgres
import Timeline

extension Catalogue {
    /// Enters a batch in one transaction.
    ///
    /// The channel's line is locked first, so that the order of commits is the order of numbers; intake
    /// decides what is fresh, so that a batch whose commit result was lost can simply be repeated.
    ///
    /// - Returns: whether the lease still held. If not, the facts were entered without numbers.
    package func remember(_ batch: Batch) async throws(CatalogueError) -> Bool {
        try await asking {
            try await withDays(of: batch.segments.map(\.fact.start)) {
                try await pool.transaction { transaction in
                    try await Remembering(batch: batch, transaction: transaction).run()
                }
            }
        }
    }
}

/// One batch on its way in.
///
/// Every lock but the line's is on rows of the same channel, so two channels never wait for each other.
struct Remembering {
    let batch: Batch
    let transaction: PostgresTransaction

    func run() async throws -> Bool {
        let (held, forgotten) = try await moveLine()
        try await describeRenditions(held: held)
        let renditions = try await renditionRows()
        try await enterFeeds()
        if held { try await enterEpochs() }
        try await enterLosses(renditions, forgotten: forgotten)
        try await markKeyPending(renditions)
        try await markLost(renditions)
        let quarters = try await enterSegments(renditions, held: held, forgotten: forgotten)
        if held { try await moveNumbers(renditions) }
        try await transaction.summarise(quarters)
        _ = try await transaction.query(
            "SELECT pg_notify(\(Catalogue.Announcement.line), \(String(batch.channel)))")
        return held
    }

    private func moveLine() async throws -> (held: Bool, forgotten: Instant) {
        let line = batch.line
        let moved = try await transaction.query(
            """
            UPDATE line SET epoch = greatest(epoch, \(line.epoch)), end_us = greatest(end_us, \(line.end.microseconds)),
                watermark_us = greatest(watermark_us, \(line.watermark.microseconds)),
                target_seconds = greatest(target_seconds, \(Int32(clamping: line.targetSeconds)))
            WHERE channel_id = \(batch.channel) AND fence = \(batch.fence) RETURNING forgotten_us
            """)
        if let row = moved.first { return (true, Instant(microseconds: try row.decode("forgotten_us"))) }
        let stale = try await transaction.query(
            "SELECT forgotten_us FROM line WHERE channel_id = \(batch.channel) FOR UPDATE")
        guard let row = stale.first else {
            throw CatalogueError.unreadable("no line of channel \(batch.channel)")
        }
        return (false, Instant(microseconds: try row.decode("forgotten_us")))
    }

    private func moveNumbers(_ renditions: [RenditionID: Int32]) async throws {
        var next: [Int32: Int64] = [:]
        for segment in batch.segments {
            guard let number = segment.number, let row = renditions[segment.fact.identity.rendition] else {
                continue
            }
            next[row] = max(next[row] ?? 0, number + 1)
        }
        guard !next.isEmpty else { return }
        let moved = next.sorted { $0.key < $1.key }
        _ = try await transaction.query(
            """
            UPDATE rendition SET next_number = greatest(next_number, t.next)
            FROM unnest(\(moved.map(\.key)), \(moved.map(\.value))) AS t(id, next)
            WHERE rendition_id = t.id
            """)
    }
}
