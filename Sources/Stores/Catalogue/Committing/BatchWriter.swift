import Postgres
import Timeline

extension Catalogue {
    /// Commits a batch in one transaction.
    ///
    /// The channel's row in `line` is locked first, so segments are committed in the order of their numbers.
    /// `intake` decides which segments are new, so a batch can be repeated if the result of its commit was
    /// lost.
    ///
    /// If the database refuses a value in it, nothing is committed, and `CatalogueError.factsRefused` says
    /// which facts have to be left out.
    ///
    /// - Returns: whether the lease was still held; if not, the segments are stored without numbers
    package func commit(_ batch: Batch) async throws(CatalogueError) -> Bool {
        do throws(CatalogueError) {
            return try await mappingErrors { try await write(batch) }
        } catch .database(let error) where error.refusesValues {
            let refused = try await mappingErrors { try await refusedFacts(of: batch) }
            guard let refused else { throw .database(error) }
            throw .factsRefused(refused, error)
        }
    }

    /// Writes a batch in one transaction, which is rolled back if it is for a trial only.
    func write(_ batch: Batch, asTrial isTrial: Bool = false) async throws -> Bool {
        try await withDays(of: batch.segments.map(\.fact.start)) {
            try await pool.transaction { transaction in
                let isHeld = try await BatchWriter(batch: batch, transaction: transaction).run()
                if isTrial { throw TrialPassed() }
                return isHeld
            }
        }
    }
}

/// Ends a transaction that was a trial.
struct TrialPassed: Error {}

/// Writes one batch.
///
/// All rows that it locks belong to one channel, so channels never wait for each other.
struct BatchWriter {
    /// Where the channel stands once the batch has its turn.
    private struct Moved {
        var held: Bool
        var expiredBefore: Instant
        /// End of the published log.
        var end: Instant
        var revision: Int64
        var reanchor: ReanchorPoint?
        /// The present by the database's clock.
        var now: Instant
    }

    var batch: Batch
    let transaction: PostgresTransaction

    /// - Returns: whether the lease was still held
    func run() async throws -> Bool {
        let moved = try await movePublishedHead()
        try await describeRenditions(held: moved.held)
        let renditions = try await renditionRows()
        guard let point = moved.reanchor else { return try await enter(renditions, moved) }
        var writer = self
        let ahead = writer.takeAhead(of: point, now: moved.now)
        try await enterSetAside(ahead, renditions, expiredBefore: moved.expiredBefore)
        return try await writer.enter(renditions, moved)
    }

    private func enter(_ renditions: [RenditionID: Int32], _ moved: Moved) async throws -> Bool {
        let (held, expiredBefore) = (moved.held, moved.expiredBefore)
        try await enterSourceRuns()
        if held { try await enterDiscontinuityStarts() }
        try await enterLosses(renditions, expiredBefore: expiredBefore)
        try await markListed(renditions)
        try await markKeyPending(renditions)
        try await markLost(renditions)
        try await enterMarkers(shown: moved.end, expiredBefore: expiredBefore)
        var quarters = try await enterSegments(
            renditions, batch.segments, held: held, expiredBefore: expiredBefore)
        quarters.formUnion(try await enterRepairs(renditions, batch.segments))
        if held { try await moveNumbers(renditions) }
        try await transaction.summarise(quarters)
        try await transaction.announce(
            PublishedHeadChange(channel: batch.channel, revision: moved.revision, touched: quarters))
        return held
    }

    private func movePublishedHead() async throws -> Moved {
        let head = batch.publishedHead
        let moved = try await transaction.query(
            """
            UPDATE line SET epoch = greatest(epoch, \(head.discontinuitySequence)),
                end_us = greatest(end_us, \(head.end.microseconds)),
                watermark_us = greatest(watermark_us, \(head.watermark.microseconds)),
                target_seconds = greatest(target_seconds, \(Int32(clamping: head.targetSeconds))),
                revision = revision + 1
            WHERE channel_id = \(batch.channel) AND fence = \(batch.fence)
            RETURNING \(verbatim: Self.moved)
            """)
        let rows =
            try await moved.isEmpty
            ? transaction.query(
                """
                UPDATE line SET revision = revision + 1
                WHERE channel_id = \(batch.channel) RETURNING \(verbatim: Self.moved)
                """) : moved
        guard let row = rows.first else {
            throw CatalogueError.unreadable("channel \(batch.channel) has no published head")
        }
        return Moved(
            held: !moved.isEmpty, expiredBefore: Instant(microseconds: try row.decode("forgotten_us")),
            end: Instant(microseconds: try row.decode("end_us")), revision: try row.decode("revision"),
            reanchor: try ReanchorPoint(from: row),
            now: Instant(microseconds: try row.decode("now_us")))
    }

    private static let moved = """
        forgotten_us, end_us, revision, \(ReanchorPoint.columns),
        (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now_us
        """

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
