import Foundation
import Postgres
package import Timeline

/// The current state of a channel; every answer about it starts from this.
package struct ChannelHead: Sendable, Equatable {
    /// The channel's row id.
    package var channel: Int32
    package var publishedHead: PublishedHead
    /// The channel's revision when this was read.
    package var revision: Int64
    /// Ordered by id.
    package var renditions: [KnownRendition]
    /// Times of segments that are listed or wait for their key and are not in the archive yet.
    ///
    /// Segments of a rendition that follow each other are one window. All windows before the newest
    /// `Limits.pendingSpans` of a rendition are joined to one, with what lies between them. So are all its
    /// segments before the newest `Limits.pendingSegments`.
    package var pending: [TimeWindow]
    package var arrivals: Arrivals
    /// The channel's revision when its markers last changed; zero if it never had any.
    package var markerRevision: Int64

    package init(
        channel: Int32 = 0, publishedHead: PublishedHead, revision: Int64, renditions: [KnownRendition],
        pending: [TimeWindow] = [],
        arrivals: Arrivals = Arrivals(), markerRevision: Int64 = 0,
    ) {
        self.channel = channel
        self.publishedHead = publishedHead
        self.revision = revision
        self.renditions = renditions
        self.pending = pending
        self.arrivals = arrivals
        self.markerRevision = markerRevision
    }
}

package struct KnownRendition: Sendable, Equatable {
    package var row: Int32
    package var description: RenditionDescription
    /// The begin of the first quarter of an hour in which something is held, microseconds since 1970; nil if
    /// nothing is.
    package var firstQuarter: Int64?

    package init(row: Int32, description: RenditionDescription, firstQuarter: Int64?) {
        self.row = row
        self.description = description
        self.firstQuarter = firstQuarter
    }
}

extension Catalogue {
    /// Reads the published head, revision, renditions and pending segments in one snapshot, and then the
    /// arrivals.
    package func head(of channel: Int32) async throws(CatalogueError) -> ChannelHead {
        try await mappingErrors {
            let rows = try await pool.query(Self.headQuery(of: channel))
            guard let first = rows.first else {
                throw CatalogueError.unreadable("channel \(channel) has no published head")
            }
            let publishedHead = try PublishedHead(from: first)
            return ChannelHead(
                channel: channel, publishedHead: publishedHead, revision: try first.decode("revision"),
                renditions: try rows.compactMap(Self.knownRendition).sorted {
                    $0.description.id < $1.description.id
                },
                pending: try rows.flatMap(Self.pending),
                arrivals: try await arrivals(of: channel, before: publishedHead.end),
                markerRevision: try first.decode("marker_revision"))
        }
    }

    /// A row for each rendition of a channel, with its pending segments, or one row if it has none.
    private static func headQuery(of channel: Int32) -> Statement {
        """
        SELECT \(verbatim: PublishedHead.columns), revision, marker_revision, r.rendition_id,
            match::text AS match, begins, ends,
            (SELECT min(quarter_us) FROM block b WHERE b.rendition_id = r.rendition_id) AS first_quarter
        FROM line LEFT JOIN rendition r USING (channel_id)
        LEFT JOIN LATERAL (
            SELECT array_agg(begin_us) AS begins, array_agg(end_us) AS ends FROM (
                SELECT min(start_us) AS begin_us, max(end_us) AS end_us FROM (
                    SELECT start_us, end_us, least(\(Limits.pendingSpans),
                        sum(begins) OVER () - sum(begins) OVER (ORDER BY start_us)) AS later_spans FROM (
                        WITH newest AS (
                            SELECT start_us, start_us + duration_us AS end_us
                            FROM intake i WHERE \(verbatim: Self.isPending)
                            ORDER BY start_us DESC LIMIT \(Limits.pendingSegments)
                        ), known AS (
                            SELECT start_us, end_us FROM newest UNION ALL
                            SELECT oldest.start_us, reached.start_us FROM (
                                SELECT min(start_us) AS start_us FROM newest
                                HAVING count(*) = \(Limits.pendingSegments)) AS reached, LATERAL (
                                SELECT start_us FROM intake i WHERE \(verbatim: Self.isPending)
                                ORDER BY start_us LIMIT 1) AS oldest)
                        SELECT start_us, end_us, CASE WHEN start_us <= max(end_us) OVER (ORDER BY start_us
                            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) THEN 0 ELSE 1 END AS begins
                        FROM known) AS waiting) AS numbered
                GROUP BY later_spans) AS span) AS pending ON true
        WHERE channel_id = \(channel)
        """
    }

    /// Whether a segment of the rendition `r` is still to come.
    private static let isPending = """
        i.rendition_id = r.rendition_id AND (state = 'key_pending'
            OR state = 'listed' AND seen_at > now() - make_interval(hours => \(Limits.listedHours)))
        """

    /// The rendition of a row; nil if the channel has none.
    private static func knownRendition(in row: Row) throws -> KnownRendition? {
        guard let id = try row.decode("rendition_id", as: Int32?.self) else { return nil }
        return KnownRendition(
            row: id, description: try description(in: row), firstQuarter: try row.decode("first_quarter"))
    }

    private static func description(in row: Row) throws -> RenditionDescription {
        let match = Data(try row.decode("match", as: String.self).utf8)
        return try JSONDecoder().decode(RenditionDescription.self, from: match)
    }

    func describedRenditions(of channel: Int32) async throws -> [(Int32, RenditionDescription)] {
        try await pool.query(
            "SELECT rendition_id, match::text AS match FROM rendition WHERE channel_id = \(channel)"
        ).map { (try $0.decode("rendition_id"), try Self.description(in: $0)) }
    }

    private static func pending(in row: Row) throws -> [TimeWindow] {
        let begins = try row.decode("begins", as: [Int64]?.self) ?? []
        let ends = try row.decode("ends", as: [Int64]?.self) ?? []
        return zip(begins, ends).map {
            TimeWindow(begin: Instant(microseconds: $0), end: Instant(microseconds: $1))
        }
    }

    /// Returns the channels whose revision differs from the one that the caller knows.
    package func channels(changedSince revisions: [Int32: Int64]) async throws(CatalogueError) -> Set<Int32> {
        guard !revisions.isEmpty else { return [] }
        let known = revisions.sorted { $0.key < $1.key }
        return try await mappingErrors {
            let rows = try await pool.query(
                """
                SELECT channel_id FROM line
                JOIN unnest(\(known.map(\.key)), \(known.map(\.value))) AS known(channel_id, revision) USING (channel_id)
                WHERE line.revision <> known.revision
                """)
            return Set(try rows.map { try $0.decode("channel_id", as: Int32.self) })
        }
    }
}
