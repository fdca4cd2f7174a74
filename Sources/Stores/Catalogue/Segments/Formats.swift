import Postgres
package import Timeline

/// Reads rows of the table `state`.
enum FormatRow {
    static let columns = """
        container, tracks, codecs, width, height, sample_rate, audio_channels, init_name, key_method,
        key_name, drm_tags
        """

    static func reading(_ row: Row) throws -> SegmentFormat {
        let container = try row.decode("container", as: String.self)
        guard let kind = SegmentExtension(rawValue: container) else {
            throw CatalogueError.unreadable("container \(container)")
        }
        var format = SegmentFormat(container: kind)
        format.tracks = try row.decode("tracks")
        format.codecs = try row.decode("codecs")
        format.width = try row.decode("width", as: Int.self)
        format.height = try row.decode("height", as: Int.self)
        let rate = try row.decode("sample_rate", as: Int.self)
        format.sampleRate = rate > 0 ? rate : nil
        let audioChannels = try row.decode("audio_channels", as: Int.self)
        format.audioChannels = audioChannels > 0 ? audioChannels : nil
        format.initName = try row.decode("init_name")
        format.keyMethod = try row.decode("key_method")
        format.keyName = try row.decode("key_name")
        format.drmTags = try row.decode("drm_tags")
        return format
    }
}

extension Catalogue {
    /// Reads formats by id.
    package func formats(_ ids: Set<Int32>) async throws(CatalogueError) -> [Int32: SegmentFormat] {
        guard !ids.isEmpty else { return [:] }
        return try await mappingErrors {
            var found: [Int32: SegmentFormat] = [:]
            let rows = try await pool.query(
                """
                SELECT state_id, \(verbatim: FormatRow.columns) FROM state
                WHERE state_id = ANY(\(ids.sorted()))
                """)
            for row in rows { found[try row.decode("state_id")] = try FormatRow.reading(row) }
            return found
        }
    }
}
