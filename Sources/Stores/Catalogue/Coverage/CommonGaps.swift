import Postgres
package import Timeline

/// The live edge of a channel: how far its log is published.
package struct LiveEdge: Sendable, Equatable {
    package var channel: ChannelID
    package var row: Int32
    package var watermark: Instant
}

extension Catalogue {
    /// The live edges of all channels that are not deleted, at most `Limits.measuredChannels`.
    package func liveEdges() async throws(CatalogueError) -> [LiveEdge] {
        try await mappingErrors {
            try await pool.query(
                """
                SELECT slug, channel_id, watermark_us FROM channel JOIN line USING (channel_id)
                WHERE deleted_at IS NULL ORDER BY slug LIMIT \(Limits.measuredChannels)
                """
            ).compactMap { row in
                guard let id = ChannelID(try row.decode("slug", as: String.self)) else { return nil }
                return LiveEdge(
                    channel: id, row: try row.decode("channel_id"),
                    watermark: Instant(microseconds: try row.decode("watermark_us")))
            }
        }
    }

    /// Finds what all renditions of a channel lack, for several channels and their windows in one query.
    ///
    /// Only quarters that are not contiguous are read segment by segment. Channels without gaps are left out.
    package func commonGaps(in windows: [Int32: TimeWindow]) async throws(CatalogueError) -> [Int32: [Gap]] {
        guard !windows.isEmpty else { return [:] }
        var materials: [Int32: Material] = [:]
        try await mappingErrors {
            for row in try await pool.query(Self.materials(of: windows)) {
                let channel = try row.decode("channel_id", as: Int32.self)
                try materials[channel, default: Material()].add(row)
            }
        }
        return materials.mapValues { material in
            Gaps.common(
                intended: WindowSet(material.intended), held: WindowSet(material.held),
                losses: material.losses)
        }.filter { !$0.value.isEmpty }
    }

    /// Selects three kinds of rows: when a channel was set to record, what any rendition holds, and what was
    /// lost.
    static func materials(of windows: [Int32: TimeWindow]) -> Statement {
        let channels = windows.keys.sorted()
        let begins = channels.map { windows[$0]?.begin.microseconds ?? 0 }
        let ends = channels.map { windows[$0]?.end.microseconds ?? 0 }
        return """
            WITH part AS (
                SELECT t.channel_id, t.end_us AS to_us, CASE WHEN t.begin_us < \(verbatim: Self.firstKeptEnd)
                    THEN greatest(t.begin_us, \(verbatim: Self.firstGapStart)) ELSE t.begin_us END AS from_us
                FROM unnest(\(channels), \(begins), \(ends)) AS t(channel_id, begin_us, end_us)
                    JOIN line l USING (channel_id)),
            quarter AS (
                SELECT p.*, b.rendition_id, b.quarter_us, b.begin_us, b.end_us, b.contiguous
                FROM part p JOIN rendition r USING (channel_id) JOIN block b ON b.rendition_id = r.rendition_id
                    AND b.quarter_us > p.from_us - \(Quarter.microseconds + longestSegment)
                    AND b.quarter_us < p.to_us AND b.begin_us < p.to_us AND b.end_us > p.from_us)
            SELECT channel_id, 'intended' AS kind, greatest(begin_us, from_us) AS begin_us,
                least(coalesce(end_us, to_us), to_us) AS end_us, NULL::smallint AS reason
            FROM part JOIN recording_span USING (channel_id)
            WHERE begin_us < to_us AND (end_us IS NULL OR end_us > from_us)
            UNION ALL SELECT channel_id, 'held', begin_us, end_us, NULL FROM quarter WHERE contiguous
            UNION ALL SELECT q.channel_id, 'held', s.start_us, s.start_us + s.duration_us, NULL
            FROM quarter q JOIN segment s ON s.rendition_id = q.rendition_id
                AND s.start_us >= q.quarter_us AND s.start_us < q.quarter_us + \(Quarter.microseconds)
            WHERE NOT q.contiguous AND s.start_us < q.to_us AND s.start_us + s.duration_us > q.from_us
            UNION ALL SELECT channel_id, 'lost', begin_us, end_us, reason
            FROM part JOIN loss USING (channel_id) WHERE begin_us < to_us AND end_us > from_us
            """
    }
}

/// The data from which the gaps of one channel are computed.
private struct Material {
    var intended: [TimeWindow] = []
    var held: [TimeWindow] = []
    var losses: [Loss] = []

    mutating func add(_ row: Row) throws {
        let window = try Catalogue.window(from: row)
        switch try row.decode("kind", as: String.self) {
        case "intended": intended.append(window)
        case "held": held.append(window)
        default:
            guard let reason = GapReason(rawValue: try row.decode("reason")) else { return }
            losses.append(Loss(window: window, reason: reason))
        }
    }
}
