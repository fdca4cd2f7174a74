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
    /// Identities of the two newest source runs, oldest first, at most `Limits.knownSegments`.
    package var known: [KnownSegment]
}

package struct LastSegment: Sendable, Equatable {
    package var end: Instant
    package var discontinuitySequence: Int32
    package var format: SegmentFormat
    package var firstTimestamp: Int64?
}

/// An identity in `intake` with the start and duration that were decided for it.
package struct KnownSegment: Sendable, Equatable {
    package var run: Int64
    package var number: Int64
    package var start: Instant
    package var duration: Int64
    package var isLost: Bool
    /// SHA-256 of the stored bytes, empty if the segment has no row.
    ///
    /// It tells a stale playlist from a restarted source.
    package var digest: [UInt8]
    /// The segment is stored but its key has not arrived.
    package var isKeyPending = false
}

extension Catalogue {
    /// Returns the heads of all renditions of a channel, ordered by id.
    package func heads(of channel: Int32) async throws(CatalogueError) -> [RenditionHead] {
        try await mappingErrors {
            var heads: [RenditionHead] = []
            for (row, description, next) in try await renditionRows(of: channel) {
                heads.append(
                    RenditionHead(
                        description: description, nextNumber: next,
                        last: try await lastSegment(of: row, published: false),
                        published: try await lastSegment(of: row, published: true),
                        known: try await knownSegments(of: row)))
            }
            return heads.sorted { $0.description.id < $1.description.id }
        }
    }

    private func renditionRows(of channel: Int32) async throws -> [(Int32, RenditionDescription, Int64)] {
        try await pool.query(
            "SELECT rendition_id, match::text AS match, next_number FROM rendition WHERE channel_id = \(channel)"
        ).map { row in
            let match = Data(try row.decode("match", as: String.self).utf8)
            let description = try JSONDecoder().decode(RenditionDescription.self, from: match)
            return (try row.decode("rendition_id"), description, try row.decode("next_number"))
        }
    }

    private func lastSegment(of rendition: Int32, published: Bool) async throws -> LastSegment? {
        try await pool.query(
            """
            SELECT s.start_us + s.duration_us AS end_us, s.epoch, s.first_pts, \(verbatim: FormatRow.columns)
            FROM segment s JOIN state USING (state_id) WHERE s.rendition_id = \(rendition)
                AND (NOT \(published) OR s.number IS NOT NULL)
            ORDER BY s.start_us DESC LIMIT 1
            """
        ).first.map { row in
            LastSegment(
                end: Instant(microseconds: try row.decode("end_us")),
                discontinuitySequence: try row.decode("epoch"),
                format: try FormatRow.reading(row), firstTimestamp: try row.decode("first_pts"))
        }
    }

    private func knownSegments(of rendition: Int32) async throws -> [KnownSegment] {
        try await pool.query(
            """
            SELECT i.feed_id, i.origin_number, i.start_us, i.duration_us, i.state = 'lost' AS lost,
                i.state = 'key_pending' AS key_pending,
                coalesce(s.digest, ''::bytea) AS digest
            FROM intake i LEFT JOIN segment s ON s.rendition_id = i.rendition_id AND s.start_us = i.start_us
                AND s.feed_id = i.feed_id AND s.origin_number = i.origin_number
            WHERE i.rendition_id = \(rendition) AND i.feed_id IN (
                SELECT feed_id FROM intake WHERE rendition_id = \(rendition)
                GROUP BY feed_id ORDER BY feed_id DESC LIMIT 2)
            ORDER BY i.feed_id DESC, i.origin_number DESC LIMIT \(Limits.knownSegments)
            """
        ).map { row in
            KnownSegment(
                run: try row.decode("feed_id"), number: try row.decode("origin_number"),
                start: Instant(microseconds: try row.decode("start_us")),
                duration: try row.decode("duration_us", as: Int64.self), isLost: try row.decode("lost"),
                digest: try row.decode("digest"), isKeyPending: try row.decode("key_pending"))
        }.reversed()
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
            ).first.map { row in
                SourceRun(
                    id: try row.decode("feed_id"), source: try row.decode("source"),
                    began: Instant(microseconds: try row.decode("began_us")), clock: try row.decode("clock"))
            }
        }
    }
}
