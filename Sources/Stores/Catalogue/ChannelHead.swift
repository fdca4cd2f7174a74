import Foundation
import Postgres
import Timeline

/// Where a channel stands: what every answer about it begins with.
package struct ChannelHead: Sendable, Equatable {
    package var line: Line
    /// The number of the newest commit that this is from.
    package var revision: Int64
    /// In order of their ids.
    package var renditions: [KnownRendition]

    package init(line: Line, revision: Int64, renditions: [KnownRendition]) {
        self.line = line
        self.revision = revision
        self.renditions = renditions
    }
}

package struct KnownRendition: Sendable, Equatable {
    package var row: Int32
    package var description: RenditionDescription

    package init(row: Int32, description: RenditionDescription) {
        self.row = row
        self.description = description
    }
}

extension Catalogue {
    /// Reads line, revision and renditions of a channel as of one moment.
    package func head(of channel: Int32) async throws(CatalogueError) -> ChannelHead {
        try await asking {
            let rows = try await pool.query(
                """
                SELECT \(verbatim: Line.columns), revision, rendition_id, match::text AS match
                FROM line LEFT JOIN rendition USING (channel_id) WHERE channel_id = \(channel)
                """)
            guard let first = rows.first else {
                throw CatalogueError.unreadable("no line of channel \(channel)")
            }
            let renditions = try rows.compactMap { row -> KnownRendition? in
                guard let id = try row.decode("rendition_id", as: Int32?.self) else { return nil }
                let match = Data(try row.decode("match", as: String.self).utf8)
                return KnownRendition(
                    row: id, description: try JSONDecoder().decode(RenditionDescription.self, from: match))
            }
            return ChannelHead(
                line: try Line(from: first), revision: try first.decode("revision"),
                renditions: renditions.sorted { $0.description.id < $1.description.id })
        }
    }

    /// Which channels have moved on from the revisions that a caller knows.
    package func channels(changedSince revisions: [Int32: Int64]) async throws(CatalogueError) -> Set<Int32> {
        guard !revisions.isEmpty else { return [] }
        let known = revisions.sorted { $0.key < $1.key }
        return try await asking {
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
