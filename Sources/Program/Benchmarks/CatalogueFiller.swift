import ArgumentParser
import Catalogue
import Postgres
import Timeline

/// Enters channels that were recorded for days.
///
/// The first and the last segment of each rendition go in as a recorder commits them, so channels, formats
/// and heads are as in a true catalogue. The segments between are copies of the first one, which PostgreSQL
/// makes: committing millions would take most of an hour.
struct CatalogueFiller: Sendable {
    let catalogue: Catalogue
    let pool: PostgresPool
    let plan: CataloguePlan

    /// Fills all channels, some at a time.
    func fill(writers: Int) async throws {
        let day = 86_400 * Microseconds.perSecond
        var instant = plan.begin
        while instant <= plan.end + day {
            try await catalogue.prepareDays(around: instant)
            instant = instant + 6 * day
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, channel) in plan.channels.enumerated() {
                if index >= writers { try await group.next() }
                group.addTask { try await fill(channel) }
            }
            try await group.waitForAll()
        }
        while try await catalogue.packQuarters(at: plan.end + day) > 0 {}
        for table in ["segment", "block", "packed_quarter", "packed_key_frames"] {
            _ = try await pool.query("VACUUM (ANALYZE) \(identifier: table)")
        }
    }

    private func fill(_ planned: PlannedChannel) async throws {
        let writer = try await ChannelWriter(planned, catalogue: catalogue)
        try await catalogue.beginRecording(channel: writer.channel.row, at: plan.begin)
        let count = (plan.end - plan.begin) / planned.duration
        try await writer.commit(0..<1, from: plan.begin)
        for rendition in try await renditions(of: writer.channel.row) {
            try await copyFirst(of: rendition, count: count)
            try await summarise(rendition)
        }
        try await writer.commit((count - 1)..<count, from: plan.begin)
        try await catalogue.setPlaylistForm(
            planned.byteCounts.count > 1 ? .multivariant : .media, of: writer.channel.row)
    }

    private func renditions(of channel: Int32) async throws -> [Int32] {
        try await pool.query("SELECT rendition_id FROM rendition WHERE channel_id = \(channel)").map {
            try $0.decode("rendition_id")
        }
    }

    /// Repeats the first segment at equal distances, up to the one before the last.
    private func copyFirst(of rendition: Int32, count: Int64) async throws {
        _ = try await pool.query(
            """
            INSERT INTO segment (rendition_id, start_us, duration_us, number, epoch, revision, state_id, flags,
                stored_bytes, plain_bytes, feed_id, origin_number, arrived_us, digest, key_frames)
            SELECT rendition_id, start_us + n * duration_us, duration_us, number + n, epoch, revision, state_id, flags,
                stored_bytes, plain_bytes, feed_id, origin_number + n, arrived_us + n * duration_us, digest,
                key_frames
            FROM segment, generate_series(1::bigint, \(count - 2)) AS n
            WHERE rendition_id = \(rendition) AND start_us = \(plan.begin.microseconds)
            """)
    }

    /// Makes what the catalogue keeps of each quarter, a day at a time.
    private func summarise(_ rendition: Int32) async throws {
        let quarters = stride(
            from: plan.begin.microseconds, to: plan.end.microseconds, by: Int(Quarter.microseconds)
        ).map { Quarter(rendition: rendition, containing: $0) }
        for first in stride(from: 0, to: quarters.count, by: 96) {
            let day = Set(quarters[first..<min(first + 96, quarters.count)])
            try await pool.transaction { try await $0.summarise(day) }
        }
    }
}
