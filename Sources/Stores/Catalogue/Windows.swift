import Foundation
import Postgres
package import Timeline

/// What the catalogue holds of a channel for one window: the material of a playlist.
package struct WindowRecord: Sendable {
    package var line: Line
    /// Every rendition of the channel, in order of their ids; those with nothing in the window too.
    package var renditions: [RenditionRecord]
    package var states: [Int32: MediaState]

    package init(line: Line, renditions: [RenditionRecord], states: [Int32: MediaState]) {
        self.line = line
        self.renditions = renditions
        self.states = states
    }
}

package struct RenditionRecord: Sendable {
    package var description: RenditionDescription
    package var segments: [RecordedSegment]

    package init(description: RenditionDescription, segments: [RecordedSegment]) {
        self.description = description
        self.segments = segments
    }

    package var id: RenditionID { description.id }
}

/// Which rows of a window are wanted.
package enum WindowView: Sendable {
    /// All that is held.
    case archive
    /// The published log up to the watermark: what growing playlists may name.
    case published
}

extension Catalogue {
    /// Reads every segment that overlaps a window.
    ///
    /// What begins before the line's cut is there only if it is kept for good.
    /// Only the rows of the wanted renditions are read; nil wants all.
    package func record(
        of channel: Int32, in window: TimeWindow, view: WindowView, renditions wanted: Set<RenditionID>? = nil,
    ) async throws(CatalogueError) -> WindowRecord {
        let line = try await line(of: channel)
        return try await asking {
            var records: [RenditionRecord] = []
            for (row, description) in try await describedRenditions(of: channel) {
                let isWanted = wanted.map { $0.contains(description.id) } ?? true
                let segments = isWanted ? try await segments(of: row, in: window, view: view, line: line) : []
                records.append(RenditionRecord(description: description, segments: segments))
            }
            records.sort { $0.id < $1.id }
            let states = try await readStates(Set(records.flatMap { $0.segments.map(\.stateID) }))
            return WindowRecord(line: line, renditions: records, states: states)
        }
    }

    func describedRenditions(of channel: Int32) async throws -> [(Int32, RenditionDescription)] {
        try await pool.query(
            "SELECT rendition_id, match::text AS match FROM rendition WHERE channel_id = \(channel)"
        ).map { row in
            let match = Data(try row.decode("match", as: String.self).utf8)
            return (
                try row.decode("rendition_id"),
                try JSONDecoder().decode(RenditionDescription.self, from: match)
            )
        }
    }

    private func segments(
        of rendition: Int32, in window: TimeWindow, view: WindowView, line: Line,
    ) async throws -> [RecordedSegment] {
        try RecordedSegment.reading(
            try await pool.query(Self.scan(of: rendition, in: window, view: view, line: line)))
    }

    /// Asks for nothing that the primary key does not cover, so that the table itself is not read.
    static func scan(of rendition: Int32, in window: TimeWindow, view: WindowView, line: Line) -> Statement {
        """
        SELECT start_us, duration_us, number, epoch, revision, state_id, flags, stored_bytes, plain_bytes, iv
        FROM segment
        WHERE rendition_id = \(rendition) AND start_us < \(window.end.microseconds)
            AND start_us > \((window.begin - longestSegment).microseconds)
            AND start_us + duration_us > \(window.begin.microseconds)
            AND (kept OR start_us >= \(line.forgotten.microseconds))
            AND (\(view == .archive) OR (number IS NOT NULL
                AND start_us + duration_us <= \(line.watermark.microseconds)))
        ORDER BY start_us LIMIT \(Limits.segmentsPerWindow)
        """
    }

    /// No segment is longer, so that an overlap is a bounded range of the index.
    package static let longestSegment: Int64 = 600_000_000

    func readStates(_ ids: Set<Int32>) async throws -> [Int32: MediaState] {
        guard !ids.isEmpty else { return [:] }
        var found: [Int32: MediaState] = [:]
        let rows = try await pool.query(
            "SELECT state_id, \(verbatim: StateRow.columns) FROM state WHERE state_id = ANY(\(ids.sorted()))")
        for row in rows { found[try row.decode("state_id")] = try StateRow.reading(row) }
        return found
    }
}

extension RecordedSegment {
    /// Reads the rows of a scan by column, without a name look-up or an allocation per value.
    static func reading(_ rows: Rows) throws -> [RecordedSegment] {
        let starts = try rows.integers("start_us")
        let durations = try rows.integers("duration_us")
        let numbers = try rows.integers("number")
        let epochs = try rows.integers("epoch")
        let revisions = try rows.integers("revision")
        let states = try rows.integers("state_id")
        let flags = try rows.integers("flags")
        let stored = try rows.integers("stored_bytes")
        let plain = try rows.integers("plain_bytes")
        let vectors = try rows.bytes("iv")
        return (0..<rows.count).map { row in
            RecordedSegment(
                start: Instant(microseconds: starts[row, default: 0]), duration: durations[row, default: 0],
                number: numbers[row], epoch: Int32(truncatingIfNeeded: epochs[row, default: 0]),
                revision: Int16(truncatingIfNeeded: revisions[row, default: 0]),
                stateID: Int32(truncatingIfNeeded: states[row, default: 0]),
                flags: SegmentFlags(rawValue: Int16(truncatingIfNeeded: flags[row, default: 0])),
                storedBytes: stored[row, default: 0], plainBytes: plain[row, default: 0], iv: vectors[row])
        }
    }
}
