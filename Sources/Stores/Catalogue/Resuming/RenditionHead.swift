import Foundation
import Postgres
package import Timeline

/// Where one rendition of a channel stands: what a recorder must know to go on without a hole or a duplicate.
package struct RenditionHead: Sendable {
    package var description: RenditionDescription
    package var nextNumber: Int64
    /// The newest segment held, whether published or not.
    package var last: LastSegment?
    /// The newest segment of the published log.
    package var published: LastSegment?
    /// Identities of the two newest feeds, oldest first, at most `Limits.knownSegments`.
    package var known: [KnownSegment]
}

package struct LastSegment: Sendable, Equatable {
    package var end: Instant
    package var discontinuitySequence: Int32
    package var format: SegmentFormat
    package var firstTimestamp: Int64?
}

/// An identity that intake has, with the time that was decided for it.
package struct KnownSegment: Sendable, Equatable {
    package var run: Int64
    package var number: Int64
    package var start: Instant
    package var duration: Int64
    package var isLost: Bool
    /// SHA-256 of the stored bytes, empty when the row is gone; tells a stale list from a restart.
    package var digest: [UInt8]
    /// The bytes are kept and wait for their key.
    package var isKeyPending = false
}

extension Catalogue {
    /// The renditions of a channel as far as they are known, in order of their ids.
    package func heads(of channel: Int32) async throws(CatalogueError) -> [RenditionHead] {
        try await asking {
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

    /// The feed of a channel that began last; nil when none ever did.
    ///
    /// Ids go in the order of beginning, whatever the host's clock said.
    package func newestSourceRun(of channel: Int32) async throws(CatalogueError) -> SourceRun? {
        try await asking {
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
