import Postgres
import Timeline

/// The published head of a channel after its batch has moved it.
struct MovedHead {
    var held: Bool
    var expiredBefore: Instant
    /// End of the published log.
    var end: Instant
    var revision: Int64
    var reanchor: ReanchorPoint?
    /// Now, by the database's clock.
    var now: Instant
}

/// Writes the batches of several channels in one transaction, with one statement for what most batches have.
///
/// Channels are locked in the order of their ids, so two groups never wait for each other.
struct GroupWriter {
    /// In the order of their channels, one of each.
    let batches: [Batch]
    /// Whether channels that another transaction has locked are left out; else it is waited for.
    let skipsLocked: Bool
    let transaction: PostgresTransaction

    /// Whether the row in `line` has the lease of a batch.
    ///
    /// The node is compared because two nodes get the same fence if PostgreSQL fails over to a replica that
    /// has lost a take-over.
    private static let isHeld =
        "(fence = own_fence AND (own_node = '' OR node_id IS NOT DISTINCT FROM nullif(own_node, '')::uuid))"

    /// - Returns: whether the lease was still held, by channel, without those that are locked or have no
    ///   head; and the quarters that changed
    func run() async throws -> (held: [Int32: Bool], touched: Set<Quarter>) {
        let heads = try await movePublishedHeads()
        var writers: [BatchWriter] = []
        for batch in batches {
            guard let head = heads[batch.channel] else { continue }
            var writer = BatchWriter(batch: batch, transaction: transaction)
            try await writer.enterOtherFacts(head)
            writers.append(writer)
        }
        let rows = writers.flatMap { writer in
            IncomingSegment.rows(
                of: writer.batch.segments, in: writer.batch.channel, heads[writer.batch.channel])
        }
        var touched = try await SegmentWriter(transaction: transaction).enter(rows)
        for writer in writers { touched.formUnion(try await writer.enterRepairs()) }
        try await transaction.summarise(touched.toSummarise)
        try await announce(writers, heads, touched)
        return (heads.mapValues(\.held), touched.all)
    }

    /// Locks the channels and moves their heads.
    ///
    /// A lease that was lost moves the revision only.
    private func movePublishedHeads() async throws -> [Int32: MovedHead] {
        let channels = batches.map(\.channel)
        let heads = batches.map(\.publishedHead)
        let rows = try await transaction.query(
            """
            WITH incoming AS (
                SELECT * FROM unnest(\(channels), \(batches.map(\.fence)), \(batches.map { $0.node ?? "" }),
                    \(heads.map(\.discontinuitySequence)), \(heads.map(\.end.microseconds)), \(heads.map(\.watermark.microseconds)),
                    \(heads.map { Int32(clamping: $0.targetSeconds) }))
                AS t(channel_id, own_fence, own_node, to_epoch, to_end_us, to_watermark_us, to_target)),
            free AS (
                SELECT channel_id FROM line WHERE \(skipsLocked) AND channel_id = ANY(\(channels))
                ORDER BY channel_id FOR NO KEY UPDATE SKIP LOCKED),
            locked AS (
                SELECT channel_id FROM free
                UNION ALL SELECT channel_id FROM incoming WHERE NOT \(skipsLocked))
            UPDATE line l SET
                epoch = CASE WHEN \(verbatim: Self.isHeld) THEN greatest(epoch, to_epoch) ELSE epoch END,
                end_us = CASE WHEN \(verbatim: Self.isHeld) THEN greatest(end_us, to_end_us) ELSE end_us END,
                watermark_us =
                    CASE WHEN \(verbatim: Self.isHeld) THEN greatest(watermark_us, to_watermark_us)
                    ELSE watermark_us END,
                target_seconds =
                    CASE WHEN \(verbatim: Self.isHeld) THEN greatest(target_seconds, to_target)
                    ELSE target_seconds END,
                revision = revision + 1
            FROM locked JOIN incoming USING (channel_id) WHERE l.channel_id = locked.channel_id
            RETURNING l.channel_id, \(verbatim: Self.isHeld) AS held, forgotten_us, end_us, revision,
                \(verbatim: ReanchorPoint.columns),
                (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now_us
            """)
        var moved: [Int32: MovedHead] = [:]
        for row in rows {
            moved[try row.decode("channel_id")] = MovedHead(
                held: try row.decode("held"),
                expiredBefore: Instant(microseconds: try row.decode("forgotten_us")),
                end: Instant(microseconds: try row.decode("end_us")), revision: try row.decode("revision"),
                reanchor: try ReanchorPoint(from: row),
                now: Instant(microseconds: try row.decode("now_us")))
        }
        return moved
    }

    /// Moves the numbers of the renditions and announces the changes.
    ///
    /// Each channel has a notification of its own, as programs of earlier versions read them; PostgreSQL's
    /// lock for notifications is taken once for all.
    private func announce(
        _ writers: [BatchWriter], _ heads: [Int32: MovedHead], _ touched: TouchedQuarters,
    ) async throws {
        var payloads: [String] = []
        var next: [NextNumber] = []
        for batch in writers.map(\.batch) {
            guard let head = heads[batch.channel] else { continue }
            let change = PublishedHeadChange(
                channel: batch.channel, revision: head.revision, touched: touched[batch.channel])
            payloads.append(change.payload)
            if head.held { next += NextNumber.all(of: batch) }
        }
        _ = try await transaction.query(
            """
            WITH moved AS (
                UPDATE rendition r SET next_number = greatest(next_number, t.next)
                FROM unnest(\(next.map(\.channel)), \(next.map(\.rendition.description)), \(next.map(\.number)))
                    AS t(channel_id, name, next)
                WHERE r.channel_id = t.channel_id AND r.name = t.name)
            SELECT pg_notify(\(Catalogue.Announcement.publishedHead), payload) FROM unnest(\(payloads)) AS t(payload)
            """)
    }
}

/// The number that a rendition's next published segment gets.
private struct NextNumber {
    var channel: Int32
    var rendition: RenditionID
    var number: Int64

    static func all(of batch: Batch) -> [NextNumber] {
        var next: [RenditionID: Int64] = [:]
        for segment in batch.segments {
            guard let number = segment.number else { continue }
            let rendition = segment.fact.identity.rendition
            next[rendition] = max(next[rendition] ?? 0, number + 1)
        }
        return next.sorted { $0.key < $1.key }.map {
            NextNumber(channel: batch.channel, rendition: $0.key, number: $0.value)
        }
    }
}
