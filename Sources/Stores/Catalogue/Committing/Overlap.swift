package import Timeline

/// Decides which rows of a rendition are removed or shortened where their times overlap.
///
/// One recorder never places segments over each other, but two may: a former owner whose facts arrive late,
/// and the present owner or a repair. Their times differ a little, or they have recorded the same media
/// twice.
package enum Overlap {
    /// The fields of a row that matter for its place.
    package struct Row: Sendable {
        package var start: Instant
        /// Microseconds.
        package var duration: Int64
        /// Growing playlists list it: it stays where it is.
        package var isPublished: Bool
        /// It has just come.
        package var isNew: Bool
        /// SHA-256 of the stored bytes; empty when that is not known.
        package var digest: [UInt8]

        package init(
            start: Instant, duration: Int64, isPublished: Bool, isNew: Bool, digest: [UInt8] = [],
        ) {
            (self.start, self.duration) = (start, duration)
            (self.isPublished, self.isNew, self.digest) = (isPublished, isNew, digest)
        }

        fileprivate var end: Instant { start + duration }

        fileprivate func holdsSame(as other: Row) -> Bool { !digest.isEmpty && digest == other.digest }

        /// Whether this row yields to a later one: published rows stay, and of the others the earlier ones.
        fileprivate func yields(to next: Row) -> Bool {
            isPublished == next.isPublished ? isNew && !next.isNew : next.isPublished
        }
    }

    package struct Resolution: Sendable, Equatable {
        /// Rows to remove: more than half of each overlaps others, or it overlaps a row with the same bytes.
        package var removed: [Int] = []
        /// New durations of rows that were shortened to end where the next one starts, microseconds.
        package var durations: [Int: Int64] = [:]

        package init() {}
    }

    /// Resolves what overlaps among rows in the order of their starts.
    ///
    /// - Returns: what becomes of them, by their indices; rows that it does not name stay as they are
    package static func resolve(_ rows: [Row]) -> Resolution {
        var resolution = Resolution()
        var kept: [Int] = []
        for (index, row) in rows.enumerated() {
            kept.append(index)
            while kept.count > 1, kept.last == index {
                let previous = kept[kept.count - 2]
                var before = rows[previous]
                before.duration = resolution.durations[previous] ?? before.duration
                let shared = min(before.end, row.end) - row.start
                guard shared > 0, !(before.isPublished && row.isPublished) else { break }
                let isPreviousWeaker = before.yields(to: row)
                let (weaker, cut) = (isPreviousWeaker ? before : row, before.end - row.start)
                if !before.holdsSame(as: row), shared <= weaker.duration / 2,
                    isPreviousWeaker || cut <= before.duration / 2
                {
                    resolution.durations[previous] = row.start - before.start
                    break
                }
                resolution.removed.append(isPreviousWeaker ? previous : index)
                kept.remove(at: kept.count - (isPreviousWeaker ? 2 : 1))
                // A row that was shortened to end at the removed row gets its duration back.
                if isPreviousWeaker, kept.count > 1 { resolution.durations[kept[kept.count - 2]] = nil }
            }
        }
        for index in resolution.removed { resolution.durations[index] = nil }
        return resolution
    }

    /// The EXTINF of a row whose duration was shortened, if it is not the new duration.
    ///
    /// A published segment keeps the EXTINF that playlists have stated before.
    ///
    /// - Parameters:
    ///   - row: the row with its former time
    ///   - measured: how long its media play, microseconds; nil when that is not known
    ///   - duration: how long it lasts now, microseconds
    /// - Returns: microseconds; nil when its time says it
    package static func statedDuration(of row: Row, measured: Int64?, lasting duration: Int64) -> Int64? {
        let length = row.isPublished ? row.duration : measured ?? row.duration
        let differs = (length - duration).magnitude > Limits.mediaTolerance.magnitude
        return row.isPublished || differs ? length : nil
    }
}
