import Foundation
import Postgres
import Timeline

/// Markers.
extension BatchWriter {
    /// Stores markers that are new, and adds what is new of known ones.
    ///
    /// The published log ends at `shown`. Markers that end before the expiry cut are skipped. The lock on the
    /// channel's row keeps other batches out.
    func enterMarkers(shown: Instant, expiredBefore: Instant) async throws {
        guard !batch.markers.isEmpty else { return }
        var known = try await knownMarkers()
        var changed: Set<MarkerRow.Key> = []
        for marker in batch.markers {
            let key = known.keys.first { $0.names(marker) } ?? MarkerRow.Key(marker)
            if known[key]?.merge(marker, shown: shown) ?? false { changed.insert(key) }
            guard known[key] == nil else { continue }
            let ordinal = known.values.filter { $0.key.id == marker.id }.map(\.ordinal).max().map { $0 + 1 }
            let row = MarkerRow(marker, ordinal: ordinal ?? 0, shown: shown)
            guard row.until > expiredBefore || row.begin >= expiredBefore else { continue }
            known[key] = row
            changed.insert(key)
        }
        changed.formUnion(Self.end(&known, shown: shown))
        guard !changed.isEmpty else { return }
        try await write(changed.compactMap { known[$0] })
        _ = try await transaction.query(
            "UPDATE line SET marker_revision = revision WHERE channel_id = \(batch.channel)")
    }

    /// Markers with an id of the batch, and those of its classes that may end a marker or be ended by one.
    ///
    /// A marker with END-ON-NEXT ends when the next marker of its class starts.
    private func knownMarkers() async throws -> [MarkerRow.Key: MarkerRow] {
        let markers = batch.markers
        let classes = Set(markers.compactMap(\.classID)).sorted()
        let begin = markers.map(\.begin).min() ?? Instant(microseconds: 0)
        let rows = try await transaction.query(
            """
            SELECT \(verbatim: MarkerRow.columns) FROM marker WHERE channel_id = \(batch.channel)
                AND (marker_id = ANY(\(markers.map(\.id))) OR class = ANY(\(classes))
                    AND (ends_on_next AND length_us IS NULL OR begin_us > \(begin.microseconds)))
            ORDER BY begin_us DESC LIMIT \(Limits.knownMarkers)
            """)
        var known: [MarkerRow.Key: MarkerRow] = [:]
        for row in rows {
            let marker = try MarkerRow(from: row)
            known[marker.key] = marker
        }
        return known
    }

    /// Ends the markers that last until the next one of their class begins.
    private static func end(_ known: inout [MarkerRow.Key: MarkerRow], shown: Instant) -> [MarkerRow.Key] {
        let begins = Dictionary(grouping: known.values.filter { $0.classID != nil }, by: \.classID)
            .mapValues { $0.map(\.begin).sorted() }
        return known.keys.filter { key in
            guard let marker = known[key], marker.endsOnNext,
                let next = begins[marker.classID]?.first(where: { $0 > marker.begin })
            else { return false }
            return known[key]?.isFollowed(at: next, shown: shown) ?? false
        }
    }

    private func write(_ rows: [MarkerRow]) async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let versions = try rows.map { String(decoding: try encoder.encode($0.versions), as: UTF8.self) }
        _ = try await transaction.query(
            """
            INSERT INTO marker (channel_id, marker_id, source_us, ordinal, begin_us, end_us, until_us, class,
                length_us, planned_us, ends_on_next, versions)
            SELECT \(batch.channel), id, source_us, ordinal, begin_us, end_us, until_us, class, length_us,
                planned_us, on_next, versions::jsonb
            FROM unnest(\(rows.map(\.key.id)), \(rows.map(\.key.sourceStart.microseconds)),
                \(rows.map(\.ordinal)), \(rows.map(\.begin.microseconds)),
                \(rows.map { $0.end?.microseconds }), \(rows.map(\.until.microseconds)),
                \(rows.map(\.classID)), \(rows.map(\.length)), \(rows.map(\.plannedLength)),
                \(rows.map(\.endsOnNext)), \(versions))
                AS t(id, source_us, ordinal, begin_us, end_us, until_us, class, length_us, planned_us, on_next,
                    versions)
            ON CONFLICT (channel_id, marker_id, source_us) DO UPDATE SET end_us = excluded.end_us,
                until_us = excluded.until_us, length_us = excluded.length_us, planned_us = excluded.planned_us,
                ends_on_next = excluded.ends_on_next, versions = excluded.versions
            """)
    }
}
