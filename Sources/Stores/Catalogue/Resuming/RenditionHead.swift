import Foundation
import Postgres
package import Timeline

/// The state of a rendition from which a recorder resumes without a hole or a duplicate.
package struct RenditionHead: Sendable {
    package var description: RenditionDescription
    package var nextNumber: Int64
    /// The newest stored segment, published or not.
    package var last: LastSegment?
    /// The newest published segment.
    package var published: LastSegment?
    /// The newest identities of the two source runs that reach furthest in time, those of the furthest last,
    /// each run's oldest first.
    package var known: [KnownSegment]
    /// The catalogue may have older ones, which were not read.
    package var isBrief = false

    package init(
        description: RenditionDescription, nextNumber: Int64, last: LastSegment? = nil,
        published: LastSegment? = nil, known: [KnownSegment],
    ) {
        self.description = description
        self.nextNumber = nextNumber
        self.last = last
        self.published = published
        self.known = known
    }
}

package struct LastSegment: Sendable, Equatable {
    package var end: Instant
    package var discontinuitySequence: Int32
    package var format: SegmentFormat
    package var firstTimestamp: Int64?

    package init(
        end: Instant, discontinuitySequence: Int32, format: SegmentFormat,
        firstTimestamp: Int64? = nil,
    ) {
        self.end = end
        self.discontinuitySequence = discontinuitySequence
        self.format = format
        self.firstTimestamp = firstTimestamp
    }
}

/// An identity in `intake` with the start and duration that were decided for it.
package struct KnownSegment: Sendable, Equatable {
    package var run: Int64
    package var number: Int64
    package var start: Instant
    /// Microseconds.
    package var duration: Int64
    package var isLost: Bool
    /// SHA-256 of the stored bytes, empty if the segment has no row or is not one of the newest
    /// `Limits.knownDigests`.
    ///
    /// It tells a stale playlist from a restarted source.
    package var digest: [UInt8]
    /// The segment is stored but its key has not arrived.
    package var isKeyPending = false
    /// The segment was still to be fetched.
    package var isListed = false
    /// It is lost, as the source listed it as a gap: it may list it without EXT-X-GAP since.
    package var isGap = false
    /// What is stored of a segment that is not whole; nil for a whole one.
    package var part: KnownIncompleteSegment?
    /// The first timestamp of its media, in units of 90 kHz; nil where that is not known.
    ///
    /// Also nil if the segment is spliced, or is not one of the newest `Limits.knownDigests`.
    package var firstTimestamp: Int64?
    /// It is known to fill a hole of another run, from another source.
    package var fillsHole = false
    package var end: Instant { start + duration }
    /// The catalogue has its fact.
    package var isStored: Bool { !isLost && !isKeyPending && !isListed }

    /// The identity of a stored segment.
    package init(_ fact: SegmentFact) {
        let part = KnownIncompleteSegment(fact)
        self.init(
            run: fact.identity.run, number: fact.identity.number, start: fact.start,
            duration: fact.duration, isLost: false, digest: part == nil ? fact.digest : [],
            isKeyPending: false)
        self.part = part
        if !fact.flags.contains(.spliced) { firstTimestamp = fact.firstTimestamp }
    }

    package init(
        run: Int64, number: Int64, start: Instant, duration: Int64, isLost: Bool, digest: [UInt8],
        isKeyPending: Bool = false, isListed: Bool = false, isGap: Bool = false,
    ) {
        self.run = run
        self.number = number
        self.start = start
        self.duration = duration
        self.isLost = isLost
        self.digest = digest
        self.isKeyPending = isKeyPending
        self.isListed = isListed
        self.isGap = isGap
    }
}

/// The bytes that are stored of a segment that is not whole.
package struct KnownIncompleteSegment: Sendable, Equatable {
    /// After decryption.
    package var plainBytes: Int64
    package var flags: SegmentFlags
    package var revision: Int16

    package init(plainBytes: Int64, flags: SegmentFlags, revision: Int16) {
        self.plainBytes = plainBytes
        self.flags = flags
        self.revision = revision
    }

    /// Nil if the segment is whole.
    package init?(_ fact: SegmentFact) {
        guard !fact.flags.isDisjoint(with: .parts) else { return nil }
        self.init(plainBytes: fact.plainBytes, flags: fact.flags, revision: fact.revision)
    }
}

extension Catalogue {
    /// Returns the heads of all renditions of a channel, ordered by id.
    ///
    /// `journalLines` is how many facts of the channel wait in the journal: the catalogue may have some of
    /// them already, so as many more identities are read, at most `Limits.knownSegments` of a source run.
    /// Those that are read besides are few with `isBrief`.
    ///
    /// Times decide which runs are the newest: a node that recorded at the same time as the owner may have
    /// started a later run that ends earlier.
    package func heads(
        of channel: Int32, journalLines: Int = 0, isBrief: Bool = false,
    ) async throws(CatalogueError) -> [RenditionHead] {
        let count = isBrief ? Limits.briefResumedSegments : Limits.resumedSegments
        let limit = min(count + max(0, journalLines), Limits.knownSegments)
        return try await mappingErrors {
            var heads = try await bareHeads(of: channel)
            for row in try await pool.query(.newestSegments(of: channel)) {
                let segment = LastSegment(
                    end: Instant(microseconds: try row.decode("end_us")),
                    discontinuitySequence: try row.decode("epoch"),
                    format: try FormatRow.reading(row), firstTimestamp: try row.decode("first_pts"))
                let rendition = try row.decode("rendition_id", as: Int32.self)
                if try row.decode("is_published", as: Bool.self) {
                    heads[rendition]?.published = segment
                } else {
                    heads[rendition]?.last = segment
                }
            }
            for row in try await pool.query(.newestIdentities(of: channel, limit: Int64(limit))) {
                let segment = try KnownSegment(row)
                heads[try row.decode("rendition_id", as: Int32.self)]?.known.append(segment)
            }
            return heads.values.map { head in
                var head = head
                let counts = Dictionary(head.known.map { ($0.run, 1) }, uniquingKeysWith: +)
                head.isBrief = isBrief && counts.values.contains(limit)
                head.known.reverse()
                return head
            }.sorted { $0.description.id < $1.description.id }
        }
    }

    /// The renditions of a channel by row, without their segments.
    private func bareHeads(of channel: Int32) async throws -> [Int32: RenditionHead] {
        let rows = try await pool.query(
            "SELECT rendition_id, match::text AS match, next_number FROM rendition WHERE channel_id = \(channel)"
        )
        var heads: [Int32: RenditionHead] = [:]
        for row in rows {
            let match = Data(try row.decode("match", as: String.self).utf8)
            heads[try row.decode("rendition_id")] = RenditionHead(
                description: try JSONDecoder().decode(RenditionDescription.self, from: match),
                nextNumber: try row.decode("next_number"), known: [])
        }
        return heads
    }

    /// The newest source run of a channel; nil before the first one.
    ///
    /// Ids increase with every run, even if the host's clock was set back.
    package func newestSourceRun(of channel: Int32) async throws(CatalogueError) -> SourceRun? {
        try await mappingErrors {
            try await pool.query(
                """
                SELECT feed_id, source, began_us, clock FROM feed WHERE channel_id = \(channel)
                ORDER BY feed_id DESC LIMIT 1
                """
            ).first.map { try SourceRun($0) }
        }
    }

    /// A source run of a channel by its id; nil if there is none.
    package func sourceRun(
        _ id: Int64, of channel: Int32,
    ) async throws(CatalogueError) -> SourceRun? {
        try await mappingErrors {
            try await pool.query(
                """
                SELECT feed_id, source, began_us, clock FROM feed
                WHERE feed_id = \(id) AND channel_id = \(channel)
                """
            ).first.map { try SourceRun($0) }
        }
    }
}

extension SourceRun {
    fileprivate init(_ row: Row) throws {
        self.init(
            id: try row.decode("feed_id"), source: try row.decode("source"),
            began: Instant(microseconds: try row.decode("began_us")), clock: try row.decode("clock"))
    }
}

extension KnownSegment {
    fileprivate init(_ row: Row) throws {
        self.init(
            run: try row.decode("feed_id"), number: try row.decode("origin_number"),
            start: Instant(microseconds: try row.decode("start_us")),
            duration: try row.decode("duration_us", as: Int64.self), isLost: try row.decode("lost"),
            digest: try row.decode("digest"), isKeyPending: try row.decode("key_pending"),
            isListed: try row.decode("listed"), isGap: try row.decode("gap"))
        firstTimestamp = try row.decode("first_pts")
        guard let bytes = try row.decode("part_bytes", as: Int64?.self) else { return }
        part = KnownIncompleteSegment(
            plainBytes: bytes, flags: SegmentFlags(rawValue: try row.decode("part_flags")),
            revision: try row.decode("part_revision"))
    }
}

/// One statement for all renditions of a channel, and no more rows than are asked for: many channels resume
/// at once while sources list a segment for seconds only.
extension Statement {
    /// The newest stored segment of each rendition, and the newest published one.
    static func newestSegments(of channel: Int32) -> Statement {
        """
        SELECT r.rendition_id, v.is_published, s.end_us, s.epoch, s.first_pts, \(verbatim: FormatRow.columns)
        FROM rendition r CROSS JOIN (VALUES (false), (true)) AS v (is_published), LATERAL (
            SELECT s.start_us + s.duration_us AS end_us, s.epoch, s.first_pts, s.state_id
            FROM segment s WHERE s.rendition_id = r.rendition_id
                AND (NOT v.is_published OR s.number IS NOT NULL)
            ORDER BY s.start_us DESC LIMIT 1) AS s JOIN state USING (state_id)
        WHERE r.channel_id = \(channel)
        """
    }

    /// Flags of segments whose bytes at the source may have changed: their digests are not compared.
    private static let parts = "\(SegmentFlags.parts.rawValue)"
    private static let spliced = "\(SegmentFlags.spliced.rawValue)"
    private static let sourceGap = "\(GapReason.sourceGap.rawValue)"

    /// The newest identities of the two source runs of each rendition that reach furthest in time, the
    /// furthest first, newest first in the order of the index; the first of them with the digests and
    /// timestamps of their segments.
    ///
    /// The newest identity of a run tells how far it reaches. Of what is lost a row of `loss` tells whether
    /// it is a gap of the source.
    static func newestIdentities(of channel: Int32, limit: Int64) -> Statement {
        """
        SELECT r.rendition_id, i.feed_id, i.origin_number, i.start_us, i.duration_us, i.state = 'lost' AS lost,
            i.state = 'key_pending' AS key_pending, i.state = 'listed' AS listed, coalesce(s.digest, ''::bytea) AS digest,
            s.part_bytes, s.part_flags, s.part_revision, s.first_pts, coalesce(g.gap, false) AS gap
        FROM rendition r, LATERAL (
            WITH RECURSIVE run AS (
                (SELECT feed_id, start_us + duration_us AS end_us, 1 AS age FROM intake
                WHERE rendition_id = r.rendition_id ORDER BY feed_id DESC, origin_number DESC LIMIT 1)
                UNION ALL SELECT earlier.feed_id, earlier.end_us, run.age + 1 FROM run, LATERAL (
                    SELECT feed_id, start_us + duration_us AS end_us FROM intake
                    WHERE rendition_id = r.rendition_id AND feed_id < run.feed_id
                    ORDER BY feed_id DESC, origin_number DESC LIMIT 1) AS earlier
                WHERE run.age < \(Limits.resumedRuns))
            SELECT newest.*, row_number() OVER (
                ORDER BY furthest.end_us DESC, furthest.feed_id DESC, newest.origin_number DESC) AS place
            FROM (SELECT feed_id, end_us FROM run ORDER BY end_us DESC, feed_id DESC LIMIT 2) AS furthest, LATERAL (
                SELECT feed_id, origin_number, start_us, duration_us, state FROM intake
                WHERE rendition_id = r.rendition_id AND feed_id = furthest.feed_id
                ORDER BY origin_number DESC LIMIT \(limit)) AS newest) AS i
            LEFT JOIN LATERAL (
                SELECT coalesce(s.repair_digest, CASE WHEN s.flags & \(verbatim: Statement.parts) = 0 THEN s.digest END)
                    AS digest,
                    CASE WHEN coalesce(s.repair_flags, s.flags) & \(verbatim: Statement.parts) <> 0
                        THEN coalesce(s.repair_plain_bytes, s.plain_bytes)::bigint END AS part_bytes,
                    coalesce(s.repair_flags, s.flags) AS part_flags,
                    coalesce(s.repair_revision, s.revision) AS part_revision,
                    CASE WHEN s.flags & \(verbatim: Statement.spliced) = 0 THEN s.first_pts END AS first_pts
                FROM segment s WHERE i.place <= \(Limits.knownDigests)
                    AND s.rendition_id = r.rendition_id AND s.start_us = i.start_us
                    AND s.feed_id = i.feed_id AND s.origin_number = i.origin_number
                LIMIT 1) AS s ON true
            LEFT JOIN LATERAL (
                SELECT true AS gap FROM loss l WHERE i.state = 'lost' AND l.channel_id = r.channel_id
                    AND l.begin_us = i.start_us AND l.rendition_id = r.rendition_id
                    AND l.reason = \(verbatim: Statement.sourceGap)
                LIMIT 1) AS g ON true
        WHERE r.channel_id = \(channel) ORDER BY r.rendition_id, i.place
        """
    }
}
