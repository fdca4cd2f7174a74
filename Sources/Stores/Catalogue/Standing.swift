import Postgres
package import Timeline

/// How the recording of a channel stands, as far as the catalogue knows.
package struct Standing: Sendable {
    package var line: Line
    /// Nil before the first one.
    package var newestFeed: FeedFact?
    /// In order of their ids.
    package var renditions: [RenditionStanding]
    package var arrivals: Arrivals

    package init(
        line: Line, newestFeed: FeedFact? = nil, renditions: [RenditionStanding] = [],
        arrivals: Arrivals = Arrivals(),
    ) {
        self.line = line
        self.newestFeed = newestFeed
        self.renditions = renditions
        self.arrivals = arrivals
    }
}

package struct RenditionStanding: Sendable, Equatable {
    package var id: RenditionID
    /// Start of the newest segment held.
    package var lastSegment: Instant?
    /// Over the newest quarter of an hour in which anything is held; zero when nothing is.
    package var bitsPerSecond: Int64

    package init(id: RenditionID, lastSegment: Instant?, bitsPerSecond: Int64) {
        self.id = id
        self.lastSegment = lastSegment
        self.bitsPerSecond = bitsPerSecond
    }
}

extension Catalogue {
    /// How the recording of a channel stands.
    package func standing(of channel: Int32) async throws(CatalogueError) -> Standing {
        let line = try await line(of: channel)
        return try await asking {
            Standing(
                line: line, newestFeed: try await newestFeed(of: channel),
                renditions: try await renditionStandings(of: channel),
                arrivals: try await arrivals(of: channel, before: line.end))
        }
    }

    private func renditionStandings(of channel: Int32) async throws -> [RenditionStanding] {
        try await pool.query(
            """
            SELECT r.name, newest.start_us, coalesce(round(b.bytes * 8000000.0 / b.held_us), 0)::bigint AS bps
            FROM rendition r
                LEFT JOIN LATERAL (SELECT quarter_us, bytes, held_us FROM block
                    WHERE block.rendition_id = r.rendition_id ORDER BY quarter_us DESC LIMIT 1) AS b ON true
                LEFT JOIN LATERAL (SELECT max(s.start_us) AS start_us FROM segment s
                    WHERE s.rendition_id = r.rendition_id AND s.start_us >= b.quarter_us
                        AND s.start_us < b.quarter_us + \(Quarter.microseconds)) AS newest ON true
            WHERE r.channel_id = \(channel)
            """
        ).compactMap { row in
            guard let id = RenditionID(try row.decode("name", as: String.self)) else { return nil }
            return RenditionStanding(
                id: id,
                lastSegment: try row.decode("start_us", as: Int64?.self).map(Instant.init(microseconds:)),
                bitsPerSecond: try row.decode("bps"))
        }.sorted { $0.id < $1.id }
    }
}
