import Postgres
import Timeline

extension BatchWriter {
    /// Returns the row ids of the formats that the segments use, by canonical text.
    ///
    /// Existing rows are looked up first, because an insert that hits a conflict still consumes an id, and
    /// 32-bit ids would run out within months.
    func formatRows(_ facts: [SegmentFact]) async throws -> [String: Int32] {
        var used: [String: (format: SegmentFormat, end: Int64)] = [:]
        for fact in facts {
            let text = fact.format.canonicalText
            used[text] = (fact.format, max(used[text]?.end ?? .min, fact.end.microseconds))
        }
        var found = try await touchFormats(used.mapValues(\.end))
        for (text, use) in used where found[text] == nil {
            found[text] = try await enter(use.format, text: text, lastUsed: use.end)
        }
        return found
    }

    private func touchFormats(_ used: [String: Int64]) async throws -> [String: Int32] {
        let texts = used.keys.sorted()
        let rows = try await transaction.query(
            """
            UPDATE state SET last_used_us = greatest(last_used_us, t.used)
            FROM unnest(\(texts), \(texts.map { used[$0] ?? 0 })) AS t(text, used)
            WHERE channel_id = \(batch.channel) AND digest = sha256(convert_to(t.text, 'UTF8'))
            RETURNING t.text, state_id
            """)
        return Dictionary(
            try rows.map { (try $0.decode("text"), try $0.decode("state_id")) },
            uniquingKeysWith: { first, _ in first })
    }

    private func enter(_ format: SegmentFormat, text: String, lastUsed: Int64) async throws -> Int32? {
        for _ in 0..<Limits.formatIDsPassedOver {
            if let row = try await insert(format, text: text, lastUsed: lastUsed) { return row }
        }
        throw CatalogueError.unreadable("no id is free for a format: they are used up")
    }

    /// Nil if the next id of the sequence is in use: ids start again after the last one.
    private func insert(_ format: SegmentFormat, text: String, lastUsed: Int64) async throws -> Int32? {
        let rows = try await transaction.query(
            """
            INSERT INTO state (channel_id, digest, container, tracks, codecs, width, height,
                sample_rate, audio_channels, init_name, key_method, key_name, drm_tags, last_used_us)
            VALUES (\(batch.channel), sha256(convert_to(\(text), 'UTF8')), \(format.container.rawValue),
                \(format.tracks), \(format.codecs), \(Int32(clamping: format.width)),
                \(Int32(clamping: format.height)), \(Int32(clamping: format.sampleRate ?? 0)),
                \(Int32(clamping: format.audioChannels ?? 0)),
                \(format.initName), \(format.keyMethod), \(format.keyName), \(format.drmTags), \(lastUsed))
            ON CONFLICT (state_id) DO NOTHING
            RETURNING state_id
            """)
        return try rows.first?.decode("state_id", as: Int32.self)
    }
}
