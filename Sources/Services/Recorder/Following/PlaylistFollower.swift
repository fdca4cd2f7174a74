import Concurrency
import HLS
import Timeline

/// Follows one rendition's live playlist: tells which entries are new, whether numbers are missing, and
/// whether a playlist that went back is stale or a restart.
///
/// Decides only; it has no clock and does no I/O.
struct PlaylistFollower: Sendable {
    /// What a playlist means.
    enum Finding: Sendable, Equatable {
        /// The entries from this index on are new; `missing` numbers were never seen.
        case new(from: Int, missing: Int64)
        case nothingNew
        /// An older playlist, or the same numbers once more: it is ignored.
        case stale
        /// Another numbering begins: all entries are new.
        case restart(reason: String)
        /// The segment at this index tells whether it is stale or a restart: compare its bytes with what is
        /// stored.
        case undecided(index: Int)
    }

    /// What is known of names that are not those of the playlist before.
    private enum NameCheck {
        case inDoubt
        /// The bytes cannot be compared.
        case assumed
        /// The bytes were the same.
        case compared
    }

    /// The highest number seen in the source run; nil before the first playlist.
    private(set) var highest: Int64?
    private(set) var discontinuitySequence: UInt64?
    /// When a playlist last brought something new.
    private(set) var lastAdvance: SteadyInstant?
    /// Entries of the last few playlists, by number.
    private var recent: [SeenEntry] = []
    /// Entries of the source run before: its playlists may appear once more.
    private var previous: [SeenEntry] = []
    /// Set after a start of the process: the source may no longer be the one that was recorded.
    private(set) var isUnconfirmed = false
    /// A comparison of bytes showed that the numbering continues; it holds until the source run advances.
    private var isConfirmed = false
    /// What is known of the names in the playlist that is judged; it does not hold for later playlists.
    private var names = NameCheck.inDoubt
    /// The highest number of a playlist that went back and was assumed to continue; `.max` for no bound.
    ///
    /// One that lists more is compared again.
    private var confirmedNumber = Int64.max
    /// A comparison of bytes showed that the source renames its segments with each load.
    private(set) var ignoresNames = false
    /// When the first playlist of the source run was accepted.
    private var startedAt: SteadyInstant?
    /// The playlist last taken had ended.
    private var hasEnded = false
    /// How many segments it held.
    private var listedCount = 0

    init() {}

    /// Continues where an earlier process stopped.
    init(resumingAfter highest: Int64) {
        self.highest = highest
        isUnconfirmed = true
    }

    /// Judges a playlist that holds at least one segment.
    ///
    /// - Parameters:
    ///   - playlist: the playlist
    ///   - entries: its own, where they are at hand
    ///   - now: when it was fetched
    ///   - followsOthers: another rendition of the channel has begun another numbering
    /// - Returns: what it means; nothing changes until it is taken
    func judge(
        _ playlist: MediaPlaylist, _ entries: [SeenEntry]? = nil, now: SteadyInstant,
        followsOthers: Bool = false,
    ) -> Finding {
        guard let first = Self.number(playlist, 0),
            let last = Self.number(playlist, playlist.segments.count - 1)
        else {
            return .nothingNew
        }
        let entries = entries ?? SeenEntry.entries(of: playlist)
        let target = Self.target(of: playlist)
        if let highest, isOfPreviousRun(entries, now) {
            // Where names follow numbers, the names of the run before return when the numbers do.
            let isContinued = first > highest && first - highest <= entries.count
            guard isContinued, !isYoung(now, target) else { return .stale }
        }
        guard let highest else {
            return .new(from: max(0, playlist.segments.count - Limits.backlogSegments), missing: 0)
        }
        if isUnconfirmed, first <= highest {
            return .undecided(index: last <= highest ? playlist.segments.count - 1 : Int(highest - first))
        }
        let stall = Stall(
            targets: lastAdvance.map { Int64(min((now - $0) / .microseconds(target), 1e9)) } ?? .max,
            isYoung: isYoung(now, target), followsOthers: followsOthers)
        if last < highest { return judgeBackward(playlist, entries, stall, target: target, now: now) }
        if first > highest { return judgeJump(playlist, highest: highest, stall, now: now) }
        if let finding = judgeOverlap(entries, first: first, stall, target: target) { return finding }
        return last == highest ? .nothingNew : .new(from: Int(highest - first) + 1, missing: 0)
    }

    /// Whether a playlist of another stream counts as this one: it shows segments of the last few playlists
    /// under their numbers.
    func isContinued(by playlist: MediaPlaylist) -> Bool {
        SeenEntry.entries(of: playlist).contains { $0.isKnown(in: recent) }
    }

    /// The entries of the last few playlists of the source run, by number.
    var entries: [SeenEntry] { recent }

    /// What one of the last few playlists said of a number.
    func seen(_ number: Int64) -> SeenEntry? { recent.last { $0.number == number } }

    /// The source's date of a number from the last dated one on, if segments keep their mean duration.
    ///
    /// Nil if the last few playlists have too few dates, or if the number is too far ahead.
    func date(of number: Int64) -> Instant? {
        let dated = recent.filter { $0.date != nil }
        guard let first = dated.first, let last = dated.last, let length = last.distance(to: first),
            let date = last.date, last.number > first.number, length > 0,
            length / (last.number - first.number) <= Limits.longestSegment,
            (0...Limits.numberJump + 1).contains(number - last.number)
        else { return nil }
        return date + length / (last.number - first.number) * (number - last.number)
    }

    /// The bytes of an undecided segment were the ones stored: the numbering continues.
    ///
    /// After a start of the process this is the first playlist seen from the source, so it becomes the
    /// baseline even if it is older than what is stored.
    mutating func confirm(by playlist: MediaPlaylist, now: SteadyInstant) {
        if isUnconfirmed {
            recent = SeenEntry.entries(of: playlist)
            lastAdvance = now
        }
        assume(upTo: nil)
        if names == .assumed { names = .compared }
    }

    /// The bytes of an undecided segment cannot be compared: the numbering is assumed to continue.
    ///
    /// A playlist that went back up to a `number` stays in doubt once it lists more.
    mutating func assume(upTo number: Int64?) {
        (isConfirmed, names) = (true, isUnconfirmed ? .inDoubt : .assumed)
        isUnconfirmed = false
        confirmedNumber = number ?? .max
    }

    /// Records a playlist whose entries were accepted; `entries` are its own, where they are at hand.
    mutating func take(_ playlist: MediaPlaylist, _ entries: [SeenEntry]? = nil, now: SteadyInstant) {
        guard let first = Self.number(playlist, 0),
            let last = Self.number(playlist, playlist.segments.count - 1)
        else {
            return
        }
        let entries = entries ?? SeenEntry.entries(of: playlist)
        if names == .compared, SeenEntry.haveOtherNames(entries, than: recent) { ignoresNames = true }
        names = .inDoubt
        if last > (highest ?? -1) {
            lastAdvance = now
            isConfirmed = false
        }
        startedAt = startedAt ?? now
        highest = max(highest ?? last, last)
        discontinuitySequence = playlist.discontinuitySequence
        isUnconfirmed = false
        (hasEnded, listedCount) = (playlist.isEnded, playlist.segments.count)
        recent.removeAll { $0.number >= first }
        recent += entries
        let limit = min(Limits.recentPlaylists * entries.count, Limits.recentEntries)
        recent.removeFirst(max(0, recent.count - limit))
    }

    /// The source has ended with a playlist that holds nothing.
    mutating func end() {
        hasEnded = true
    }

    /// Resets the numbering: a new source run begins.
    mutating func reset() {
        let before = recent.isEmpty ? previous : recent
        self = PlaylistFollower()
        previous = before
    }

    /// Whether the numbering replaced another one less than ten target durations ago, and has not ended.
    ///
    /// Another restart so soon may be two origins that answer in turn.
    private func isYoung(_ now: SteadyInstant, _ target: Int64) -> Bool {
        !previous.isEmpty && !hasEnded && startedAt.map { now - $0 < .microseconds(10 * target) } ?? false
    }
}

/// Judgements where numbers do not simply go on.
extension PlaylistFollower {
    /// How long the playlist has not advanced.
    private struct Stall {
        /// Whole target durations.
        var targets: Int64
        /// The source run has only just begun.
        var isYoung: Bool
        /// Another rendition of the channel has begun another numbering.
        var followsOthers: Bool

        /// Whether the wait was long enough, given the number of signs of a restart.
        func suffices(evidence: Int) -> Bool {
            targets >= (isYoung || evidence == 0 ? 3 : evidence == 1 ? 2 : 0)
        }
    }

    /// Whether a playlist is an old one of the run before, as a second edge may show it after a restart.
    ///
    /// Later, or after the source has ended, the same names mean that the source has begun again.
    private func isOfPreviousRun(_ entries: [SeenEntry], _ now: SteadyInstant) -> Bool {
        guard !hasEnded, startedAt.map({ now - $0 < Limits.oldPlaylists }) ?? true, let newest = entries.last,
            newest.isKnown(in: previous)
        else { return false }
        return !entries.contains { $0.isKnown(in: recent) }
    }

    /// Judges a playlist whose first number is too high: numbers are missing, or another numbering began.
    ///
    /// Many missing numbers, or dates that did not advance with them, are signs of another numbering. While
    /// the known one goes on, it may be a second origin's.
    private func judgeJump(
        _ playlist: MediaPlaylist, highest: Int64, _ stall: Stall, now: SteadyInstant,
    ) -> Finding {
        guard let first = SeenEntry(playlist, 0) else { return .nothingNew }
        let missing = first.number - highest - 1
        if hasEnded { return .restart(reason: "the source had ended") }
        guard missing > Limits.numberJump || contradictsJump(first, missing: missing) else {
            return .new(from: 0, missing: missing)
        }
        let datesContinue = datesContinue(at: first, target: Self.target(of: playlist), now: now)
        return stall.suffices(evidence: datesContinue ? 2 : 1)
            ? .restart(reason: "numbers jumped ahead by \(missing)") : .stale
    }

    /// Whether a playlist's first date is later than all known ones, by no more than the time that has
    /// passed.
    ///
    /// A second origin would list known entries too, unless its clock is ahead.
    private func datesContinue(at first: SeenEntry, target: Int64, now: SteadyInstant) -> Bool {
        guard let newest = recent.last, let distance = first.distance(to: newest), let lastAdvance else {
            return false
        }
        return distance > max(newest.duration, 0) / 2
            && .microseconds(distance - target) <= now - lastAdvance
    }

    /// Whether dates advanced by less than half of the duration of the missing numbers.
    private func contradictsJump(_ first: SeenEntry, missing: Int64) -> Bool {
        guard missing > 0, let newest = recent.last, let distance = first.distance(to: newest) else {
            return false
        }
        return distance < missing * min(max(newest.duration, 0), Limits.longestSegment) / 2
    }

    /// Judges lower numbers: stale if they were listed lately, a restart if there is evidence or they last.
    private func judgeBackward(
        _ playlist: MediaPlaylist, _ entries: [SeenEntry], _ stall: Stall, target: Int64, now: SteadyInstant,
    ) -> Finding {
        if entries.contains(where: { $0.isKnown(in: recent) }) {
            let isConfirmed = isConfirmed && (entries.last?.number ?? 0) <= confirmedNumber
            return stall.targets < 3 || isConfirmed ? .stale : .undecided(index: playlist.segments.count - 1)
        }
        var evidence: [String] = hasEnded ? ["after the end"] : []
        if stall.followsOthers { evidence.append("as another rendition") }
        // A packager that begins again has little to list yet.
        if hasEnded, entries.count < listedCount { evidence.append("of a shorter playlist") }
        if isLater(entries) { evidence.append("with later dates") }
        // A stale edge does not show a playlist from so long ago.
        if evidence.isEmpty, let last = entries.last?.number, let highest,
            highest - last > Limits.oldPlaylists.wholeMicroseconds / target
        {
            evidence.append("by \(highest - last)")
        }
        if let sequence = playlist.discontinuitySequence, sequence > discontinuitySequence ?? 0 {
            evidence.append("after a discontinuity")
        }
        // Such a playlist is short-lived: its first segment leaves a list of three before three targets have
        // passed.
        if evidence.isEmpty, let first = entries.first?.number, first <= 1 {
            evidence.append("from the beginning")
        }
        let continues = entries.first.map { datesContinue(at: $0, target: target, now: now) } ?? false
        guard stall.suffices(evidence: continues ? 2 : evidence.count) else { return .stale }
        return .restart(reason: (["lower numbers"] + evidence).joined(separator: " "))
    }

    private func isLater(_ entries: [SeenEntry]) -> Bool {
        guard let listed = entries.compactMap(\.date).max(), let known = recent.compactMap(\.date).max()
        else {
            return false
        }
        return listed > known
    }

    /// Judges numbers that two playlists share; nil when they mean the same segments.
    ///
    /// Dates decide. Other names, or dates that differ by less than a segment, need a comparison of bytes.
    private func judgeOverlap(
        _ entries: [SeenEntry], first: Int64, _ stall: Stall, target: Int64,
    ) -> Finding? {
        let pairs = SeenEntry.pairs(entries, in: recent)
        let distances = pairs.compactMap { $0.new.distance(to: $0.known)?.magnitude }
        let areOff = { (slack: Int64) in
            distances.filter { $0 > slack.magnitude }.count * 2 > distances.count
        }
        if areOff(target) {
            return stall.suffices(evidence: 2) ? .restart(reason: "known numbers have other dates") : .stale
        }
        let isShifted = areOff(max(target / 2, Limits.dateResolution))
        guard distances.isEmpty || isShifted, !(isShifted ? isConfirmed : names != .inDoubt), !ignoresNames,
            SeenEntry.haveOtherNames(entries, than: recent), let oldest = pairs.first
        else {
            return nil
        }
        guard !isShifted || stall.suffices(evidence: 2) else { return .stale }
        return .undecided(index: Int(oldest.new.number - first))
    }
}

/// Properties of playlists and their entries.
extension PlaylistFollower {
    /// The number of an entry; sources may count up to 2^64 − 1, of which the lower 62 bits are kept.
    static func number(_ playlist: MediaPlaylist, _ index: Int) -> Int64? {
        guard playlist.segments.indices.contains(index) else { return nil }
        return Int64(playlist.number(at: index) & Limits.numberMask)
    }

    /// An entry that repeats the one before it is not a segment of its own.
    ///
    /// After EXT-X-DISCONTINUITY the same media may play again, unless they have the same date.
    static func isRepeated(_ playlist: MediaPlaylist, _ index: Int) -> Bool {
        guard index > 0 else { return false }
        let segments = playlist.segments
        guard segments[index].uri == segments[index - 1].uri,
            segments[index].byteRange == segments[index - 1].byteRange, !segments[index].isGap
        else { return false }
        let (date, dateBefore) = (
            segments[index].programDateTimeMicroseconds, segments[index - 1].programDateTimeMicroseconds
        )
        return segments[index].discontinuityCount == 0
            ? (date ?? .min) <= (dateBefore ?? .min) : date != nil && date == dateBefore
    }

    /// A playlist without repeats of its newest entry: the next load has another segment under their numbers.
    static func withoutRepeats(_ playlist: MediaPlaylist) -> MediaPlaylist {
        guard isRepeated(playlist, playlist.segments.count - 1) else { return playlist }
        var playlist = playlist
        while isRepeated(playlist, playlist.segments.count - 1) { playlist.segments.removeLast() }
        return playlist
    }

    /// An entry's duration in microseconds; nil when EXTINF is zero or nonsense.
    static func duration(of entry: MediaSegment) -> Int64? {
        let duration = entry.durationMicroseconds
        return duration > 0 && duration <= Limits.longestSegment ? duration : nil
    }

    /// How much a playlist holds, microseconds; an entry without a usable EXTINF counts as the target
    /// duration.
    static func length(of playlist: MediaPlaylist) -> Int64 {
        let target = target(of: playlist)
        let segments = playlist.segments
        return segments.indices.reduce(0) { $0 + (duration(of: segments[$1]) ?? target) }
    }

    /// The playlist's target duration in microseconds; derived from its segments when the tag is missing.
    static func target(of playlist: MediaPlaylist) -> Int64 {
        let declared = Int64(clamping: playlist.targetDurationSeconds ?? 0).multipliedReportingOverflow(
            by: 1_000_000)
        let target = declared.overflow ? .max : declared.partialValue
        return min(max(target > 0 ? target : longest(of: playlist), 1_000_000), 60_000_000)
    }

    private static func longest(of playlist: MediaPlaylist) -> Int64 {
        let segments = playlist.segments
        return segments.indices.reduce(0) { max($0, segments[$1].durationMicroseconds) }
    }
}
