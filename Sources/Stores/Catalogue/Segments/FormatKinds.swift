import Postgres
package import Timeline

/// What decides whether segments can be in one playlist.
package struct FormatKind: Sendable, Equatable {
    /// Its container and its tracks; nothing else of it is read.
    package var format: SegmentFormat
    /// Whether the archive lacks the key.
    package var lacksKey: Bool

    package init(format: SegmentFormat, lacksKey: Bool) {
        (self.format, self.lacksKey) = (format, lacksKey)
    }
}

extension Catalogue {
    /// The kinds of formats that segments of a channel can have which end after an instant; some of them may
    /// be out of use.
    ///
    /// No segment is read. Nil if there are too many, or one that this version does not know.
    package func formatKinds(
        of channel: Int32, usedAfter begin: Instant,
    ) async throws(CatalogueError) -> [FormatKind]? {
        try await mappingErrors {
            let rows = try await pool.query(
                """
                SELECT DISTINCT container, tracks, \(verbatim: FormatKind.lacksKey) AS lacks_key, false AS is_repaired
                FROM state WHERE channel_id = \(channel) AND last_used_us > \(begin.microseconds)
                LIMIT \(Limits.formatKinds + 1)
                """)
            return try FormatKind.reading(rows)
        }
    }

    /// The kinds of formats that the segments of a rendition in a window have.
    ///
    /// The index of the segments is read within the database. Nil also if better bytes came for one of them:
    /// the index does not have their formats.
    package func formatKinds(
        of rendition: Int32, in window: TimeWindow,
    ) async throws(CatalogueError) -> [FormatKind]? {
        let (begin, end) = (window.begin.microseconds, window.end.microseconds)
        let earliest = (window.begin - Self.longestSegment).microseconds
        return try await mappingErrors {
            let rows = try await pool.query(
                """
                WITH used AS (
                    SELECT state_id, bool_or(flags & \(SegmentFlags.repaired.rawValue) <> 0) AS is_repaired FROM segment
                    WHERE rendition_id = \(rendition) AND start_us > \(earliest) AND start_us < \(end)
                        AND start_us + duration_us > \(begin)
                    GROUP BY state_id)
                SELECT DISTINCT container, tracks, \(verbatim: FormatKind.lacksKey) AS lacks_key, is_repaired
                FROM used LEFT JOIN state USING (state_id)
                LIMIT \(Limits.formatKinds + 1)
                """)
            return try FormatKind.reading(rows)
        }
    }
}

extension FormatKind {
    /// SQL for whether segments of a row of `state` need a key that is not there.
    fileprivate static let lacksKey = "key_method IS NOT NULL AND key_name IS NULL AND drm_tags = '{}'"

    fileprivate static func reading(_ rows: Rows) throws -> [FormatKind]? {
        guard rows.count <= Limits.formatKinds else { return nil }
        var kinds: [FormatKind] = []
        for row in rows {
            guard let name = try row.decode("container", as: String?.self),
                let container = SegmentExtension(rawValue: name),
                try !row.decode("is_repaired", as: Bool.self)
            else { return nil }
            kinds.append(
                FormatKind(
                    format: SegmentFormat(container: container, tracks: try row.decode("tracks")),
                    lacksKey: try row.decode("lacks_key")))
        }
        return kinds
    }
}
