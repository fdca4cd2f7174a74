import Postgres
package import Timeline

/// The state of a channel's recording as far as the catalogue knows it.
package struct RecordingSummary: Sendable {
    package var publishedHead: PublishedHead
    /// Nil before the first source run.
    package var newestSourceRun: SourceRun?
    /// Ordered by id.
    package var renditions: [RenditionSummary]
    package var arrivals: Arrivals

    package init(
        publishedHead: PublishedHead, newestSourceRun: SourceRun? = nil, renditions: [RenditionSummary] = [],
        arrivals: Arrivals = Arrivals(),
    ) {
        self.publishedHead = publishedHead
        self.newestSourceRun = newestSourceRun
        self.renditions = renditions
        self.arrivals = arrivals
    }
}

package struct RenditionSummary: Sendable, Equatable {
    package var id: RenditionID
    /// Start of the newest stored segment.
    package var lastSegment: Instant?
    /// Average of the newest quarter that holds anything, without bytes that were replaced by better
    /// ones; zero if nothing is stored.
    package var bitsPerSecond: Int64

    package init(id: RenditionID, lastSegment: Instant?, bitsPerSecond: Int64) {
        self.id = id
        self.lastSegment = lastSegment
        self.bitsPerSecond = bitsPerSecond
    }
}

extension Catalogue {
    /// Reads the state of a channel's recording.
    package func recordingSummary(of channel: Int32) async throws(CatalogueError) -> RecordingSummary {
        let publishedHead = try await publishedHead(of: channel)
        return try await mappingErrors {
            RecordingSummary(
                publishedHead: publishedHead, newestSourceRun: try await newestSourceRun(of: channel),
                renditions: try await renditionSummaries(of: channel),
                arrivals: try await arrivals(of: channel, before: publishedHead.end))
        }
    }

    private func renditionSummaries(of channel: Int32) async throws -> [RenditionSummary] {
        try await pool.query(
            """
            SELECT r.name, newest.start_us,
                coalesce(round((b.bytes - newest.replaced) * 8000000.0 / b.held_us), 0)::bigint AS bps
            FROM rendition r
                LEFT JOIN LATERAL (SELECT quarter_us, bytes, held_us FROM block
                    WHERE block.rendition_id = r.rendition_id ORDER BY quarter_us DESC LIMIT 1) AS b ON true
                LEFT JOIN LATERAL (
                    SELECT max(s.start_us) AS start_us, coalesce(sum(s.stored_bytes)
                        FILTER (WHERE s.flags & \(SegmentFlags.repaired.rawValue) <> 0), 0) AS replaced
                    FROM segment s
                    WHERE s.rendition_id = r.rendition_id AND s.start_us >= b.quarter_us
                        AND s.start_us < b.quarter_us + \(Quarter.microseconds)) AS newest ON true
            WHERE r.channel_id = \(channel)
            """
        ).compactMap { row in
            guard let id = RenditionID(try row.decode("name", as: String.self)) else { return nil }
            return RenditionSummary(
                id: id,
                lastSegment: try row.decode("start_us", as: Int64?.self).map(Instant.init(microseconds:)),
                bitsPerSecond: try row.decode("bps"))
        }.sorted { $0.id < $1.id }
    }
}
