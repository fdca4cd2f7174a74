import HLS
import Timeline

/// How the numbers and starts of the leading rendition differ from another one's, measured by timestamps.
struct LeaderOffset: Sendable, Equatable {
    /// By how much its numbers are higher for the same media.
    var numberOffset: Int64
    /// How much later the other rendition's segments begin than the leader's, microseconds; below 0: earlier.
    var delay: Int64
}

/// The new entries of a playlist, with what must be known to decide their times.
struct NewEntries {
    /// Their indices in the playlist.
    var indices: [Int]
    var numbers: [Int64]
    var flags: [SegmentFlags]
    var entries: [TimePlacing.Entry]

    init(
        _ playlist: MediaPlaylist, from: Int, target: Int64, opensHole: Bool, holes: Set<Int64> = [],
        shared: [Int64: Instant], _ measured: MeasuredDurations, leaderOffset: LeaderOffset? = nil,
    ) {
        let dates = Self.dates(of: playlist)
        let dated = DatedDurations(playlist, holes: holes)
        indices = playlist.segments.indices.filter {
            $0 >= from && !PlaylistFollower.isRepeated(playlist, $0)
        }
        numbers = indices.map { PlaylistFollower.number(playlist, $0) ?? 0 }
        flags = indices.map { Self.flags(of: playlist, $0) }
        entries = []
        let isRounded = dated.isWrong || Self.roundsDurations(playlist)
        var estimatedStart = leaderOffset.flatMap {
            Self.estimatedStart(playlist, before: from, target: target, shared: shared, measured, $0)
        }
        for (index, number) in zip(indices, numbers) {
            let stated = PlaylistFollower.duration(of: playlist.segments[index])
            // The start of the next entry is decided now, even if EXTINF is unusable.
            let byMedia = measured.duration(stated: stated)
            let byDates = dates[index] == nil ? nil : dated.duration(stated: stated, measured: byMedia)
            let duration = byDates ?? byMedia ?? target
            let known = shared[number + (leaderOffset?.numberOffset ?? 0)].map {
                $0 + (leaderOffset?.delay ?? 0)
            }
            let start = known ?? estimatedStart
            estimatedStart = leaderOffset == nil ? nil : start.map { $0 + duration }
            entries.append(
                TimePlacing.Entry(
                    duration: duration, programDateTime: dates[index],
                    opensHole: opensHole && entries.isEmpty || holes.contains(number),
                    confirmsStep: Self.confirmsStep(playlist, index, dates[index]),
                    isUnmeasured: measured.cannotBeMeasured, isRounded: isRounded,
                    sharedStart: start, isSharedByMedia: leaderOffset != nil,
                    sharedSlack: known == nil ? duration / 2 : Limits.tolerance))
        }
    }

    /// The expected start of the first new entry, which the leading rendition has not listed yet.
    ///
    /// Counted from the leader's start of one of the few entries before it; nil when it has none.
    private static func estimatedStart(
        _ playlist: MediaPlaylist, before from: Int, target: Int64, shared: [Int64: Instant],
        _ measured: MeasuredDurations, _ leaderOffset: LeaderOffset,
    ) -> Instant? {
        var length: Int64 = 0
        for index in playlist.segments.indices.prefix(from).suffix(Limits.estimatedStarts).reversed() {
            let stated = PlaylistFollower.duration(of: playlist.segments[index])
            length += measured.duration(stated: stated) ?? target
            guard let number = PlaylistFollower.number(playlist, index) else { return nil }
            if let start = shared[number + leaderOffset.numberOffset] {
                return start + leaderOffset.delay + length
            }
        }
        return nil
    }

    /// Drops the first `count` entries.
    mutating func drop(_ count: Int, opensHole: Bool) {
        indices.removeFirst(count)
        numbers.removeFirst(count)
        flags.removeFirst(count)
        entries.removeFirst(count)
        if !entries.isEmpty { entries[0].opensHole = opensHole }
    }

    /// Leaves out what is held when the first entry's media begin at an instant.
    ///
    /// - Returns: where the rest begins
    mutating func join(at start: Instant, after end: Instant?, opensHole: Bool) -> Instant {
        guard let end else { return start }
        var begin = start
        var covered = 0
        for entry in entries {
            if begin + entry.duration / 2 >= end { break }
            begin = begin + entry.duration
            covered += 1
        }
        drop(covered, opensHole: opensHole)
        if !entries.isEmpty { entries[0].joinedStart = begin }
        return begin
    }

    /// Whether a jump of an entry's date is not one wrong date: a discontinuity is there, or the next date
    /// goes on from it.
    private static func confirmsStep(_ playlist: MediaPlaylist, _ index: Int, _ date: Instant?) -> Bool {
        let entry = playlist.segments[index]
        if entry.discontinuityCount > 0 { return true }
        guard let date, let duration = PlaylistFollower.duration(of: entry),
            playlist.segments.indices.contains(index + 1),
            let next = playlist.segments[index + 1].programDateTimeMicroseconds
        else { return false }
        let slack = max(duration / 2, Limits.dateResolution)
        return (Instant(microseconds: next) - (date + duration)).magnitude <= slack.magnitude
    }

    /// What the playlist says of an entry besides its time.
    static func flags(of playlist: MediaPlaylist, _ index: Int) -> SegmentFlags {
        var flags: SegmentFlags = playlist.isIndependentSegments ? .independent : []
        if PlaylistFollower.duration(of: playlist.segments[index]) == nil { flags.insert(.correctedDuration) }
        return flags
    }

    private static func roundsDurations(_ playlist: MediaPlaylist) -> Bool {
        let segments = playlist.segments
        return segments.indices.allSatisfy {
            segments[$0].durationMicroseconds % Microseconds.perSecond == 0
        }
    }

    /// The date of each entry.
    ///
    /// It is the entry's own, or counted on from the entry before, up to a discontinuity. Entries before the
    /// first date are counted back from it (RFC 8216bis §6.3.3).
    static func dates(of playlist: MediaPlaylist) -> [Instant?] {
        let segments = playlist.segments
        var dates: [Instant?] = []
        dates.reserveCapacity(segments.count)
        var next: Instant?
        for index in segments.indices {
            if segments[index].discontinuityCount > 0 { next = nil }
            let date = segments[index].programDateTimeMicroseconds.map { Instant(microseconds: $0) } ?? next
            dates.append(date)
            next = date.map { $0 + segments[index].durationMicroseconds }
        }
        for index in dates.indices.dropLast().reversed() where dates[index] == nil {
            guard segments[index + 1].discontinuityCount == 0, let later = dates[index + 1] else {
                continue
            }
            dates[index] = later - segments[index].durationMicroseconds
        }
        return dates
    }
}
