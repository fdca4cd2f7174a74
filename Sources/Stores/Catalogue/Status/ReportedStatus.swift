import Foundation
import Postgres
package import Timeline

/// What recorders report of their channels, for the nodes that do not record them.
extension Catalogue {
    /// Stores what a node reports of channels, where it holds their lease.
    package func report(_ statuses: [ChannelID: some Encodable], node: String) async throws(CatalogueError) {
        guard !statuses.isEmpty else { return }
        try await mappingErrors {
            let encoder = JSONEncoder()
            let sorted = statuses.sorted { $0.key.text < $1.key.text }
            let texts = try sorted.map { String(decoding: try encoder.encode($0.value), as: UTF8.self) }
            _ = try await pool.query(
                """
                INSERT INTO channel_status (channel_id, node_id, reported_at, status)
                SELECT c.channel_id, \(node)::uuid, now(), t.status::jsonb
                FROM unnest(\(sorted.map(\.key.text)), \(texts)) AS t(slug, status)
                    JOIN channel c USING (slug) JOIN line l USING (channel_id)
                WHERE l.node_id = \(node)::uuid
                ON CONFLICT (channel_id) DO UPDATE SET node_id = excluded.node_id,
                    reported_at = excluded.reported_at, status = excluded.status
                """)
        }
    }

    /// The status of a channel as the node that records it has reported it lately.
    ///
    /// Nil if no node records it, or none has reported in a form that can be read.
    package func reportedStatus<Status: Decodable>(
        of channel: Int32, as type: Status.Type,
    ) async throws(CatalogueError) -> Status? {
        try await mappingErrors {
            let rows = try await pool.query(
                """
                SELECT s.status::text AS status FROM channel_status s
                    JOIN line l USING (channel_id, node_id) JOIN node n USING (node_id)
                WHERE channel_id = \(channel) AND n.expires_at > now()
                    AND reported_at > now() - make_interval(secs => \(Limits.reportSeconds))
                """)
            guard let row = rows.first else { return nil }
            let text = try row.decode("status", as: String.self)
            return try? JSONDecoder().decode(type, from: Data(text.utf8))
        }
    }
}
