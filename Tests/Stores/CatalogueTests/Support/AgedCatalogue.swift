import Postgres
import Timeline

@testable import Catalogue

/// A catalogue that has recorded for two days without a pause.
extension TestCatalogue {
    static let agedSegments: Int64 = 43_200

    /// Writes 48 hours of four-second segments of three renditions for a number of channels, with their
    /// identities; the rows of the channels.
    func fillAged(channels count: Int) async throws -> [Int32] {
        var recordings: [ChannelRecording] = []
        for index in 0..<count { recordings.append(try await ChannelRecording("c\(index)", in: self)) }
        guard let first = recordings.first else { return [] }
        _ = try await catalogue.commit(first.batch([.archived(first.fact(-1))]))
        try await catalogue.ensureDays(of: [midnight, midnight + day])
        _ = try await pool.query(
            """
            INSERT INTO rendition (channel_id, name, kind, match)
            SELECT channel_id, name, 'video', jsonb_build_object('id', name, 'position', 0) FROM channel, unnest(ARRAY['v0', 'v1', 'v2']) AS name
            ON CONFLICT DO NOTHING
            """)
        for recording in recordings {
            _ = try await pool.query(
                """
                INSERT INTO intake SELECT rendition_id, 1, n, \(midnight.microseconds) + n * 4000000, 4000000,
                    'stored', now() FROM rendition, generate_series(0, \(Self.agedSegments - 1)) AS n
                WHERE channel_id = \(recording.row)
                """)
            _ = try await pool.query(
                """
                INSERT INTO segment SELECT rendition_id, \(midnight.microseconds) + n * 4000000, false, 4000000, n, 0,
                    0::smallint, (SELECT min(state_id) FROM state), 0::smallint, 1000, 1000, NULL, 1, n, NULL, 0,
                    NULL, sha256(n::text::bytea) FROM rendition,
                    generate_series(0, \(Self.agedSegments - 1)) AS n WHERE channel_id = \(recording.row)
                """)
        }
        _ = try await pool.query("VACUUM ANALYZE")
        return recordings.map(\.row)
    }
}
