import HLS
import Timeline

/// Follows one rendition's live playlist: tells which entries are new, whether numbers are missing, and
/// whether a list that went back is stale or a restart.
///
/// Decides only; it has no clock and does no I/O.
struct PlaylistFollower: Sendable {
    /// What a list means.
    enum Finding: Sendable {
        /// The entries from this index on are new; `missing` numbers were never seen.
        case new(from: Int, missing: Int64)
        case nothingNew
        /// An older list, or the same numbers once more: it is passed over.
        case stale
        /// Another numbering begins: all entries are new.
        case restart(reason: String)
        /// The segment at this index tells whether it is stale or a restart: compare its bytes with what is stored.
        case undecided(index: Int)
    }

    /// What is remembered of an entry.
    struct Seen: Sendable, Equatable {
        var number: Int64
        /// The URI without host and query: those may change with each load.
        ///
        /// Nil when it came from the catalogue.
        var core: String?
        var programDateTime: Int64?
    }

    /// Highest number seen in the feed; nil before the first list.
    private(set) var highest: Int64?
    private(set) var discontinuitySequence: UInt64?
    /// When a list last brought something new.
    private(set) var lastAdvance: Instant?
    private var recent: [Seen] = []
    /// Set by a restored state: whether the source is still the one that was recorded is not known yet.
    private var isUnconfirmed = false

    init() {}

    /// Goes on where an earlier process stopped.
    init(resumingAfter highest: Int64) {
        self.highest = highest
        isUnconfirmed = true
    }

    /// Judges a list that holds at least one segment.
    func judge(_ list: MediaPlaylist, now: Instant) -> Finding {
        guard let first = Self.number(list, 0), let last = Self.number(list, list.segments.count - 1) else {
            return .nothingNew
        }
        guard let highest else {
            return .new(from: max(0, list.segments.count - Limits.backlogSegments), missing: 0)
        }
        let target = Self.target(of: list)
        if isUnconfirmed, first <= highest {
            return .undecided(index: last <= highest ? list.segments.count - 1 : Int(highest - first))
        }
        if last < highest { return judgeBackward(list, now: now, target: target) }
        if first > highest { return judgeJump(first: first, highest: highest) }
        if contradicts(list, target: target) { return .restart(reason: "known numbers name other segments") }
        return last == highest ? .nothingNew : .new(from: Int(highest - first) + 1, missing: 0)
    }

    /// The bytes of an undecided segment were the ones stored: the numbering goes on.
    mutating func confirm() {
        isUnconfirmed = false
    }

    /// Remembers a list whose entries were taken.
    mutating func take(_ list: MediaPlaylist, now: Instant) {
        guard let last = Self.number(list, list.segments.count - 1) else { return }
        if last > (highest ?? -1) { lastAdvance = now }
        highest = max(highest ?? last, last)
        discontinuitySequence = list.discontinuitySequence
        isUnconfirmed = false
        recent = list.segments.indices.suffix(Limits.recentEntries).compactMap { Self.seen(list, $0) }
    }

    /// Forgets the numbering: a new feed begins.
    mutating func reset() {
        self = PlaylistFollower()
    }

    private func judgeJump(first: Int64, highest: Int64) -> Finding {
        let missing = first - highest - 1
        if missing > Limits.numberJump { return .restart(reason: "numbers jumped ahead by \(missing)") }
        return .new(from: 0, missing: missing)
    }

    private func judgeBackward(_ list: MediaPlaylist, now: Instant, target: Int64) -> Finding {
        let idle = lastAdvance.map { now - $0 } ?? .max
        if let listed = newestDate(of: list), let known = recent.compactMap(\.programDateTime).max() {
            if listed > known + target / 2 { return .restart(reason: "lower numbers with later dates") }
            if listed <= known, idle < 3 * target { return .stale }
        }
        let isKnown = list.segments.indices.contains { index in
            Self.seen(list, index).map { entry in
                recent.contains { $0.number == entry.number && $0.core == entry.core }
            }
                ?? false
        }
        if !isKnown, let sequence = list.discontinuitySequence, sequence > discontinuitySequence ?? 0 {
            return .restart(reason: "lower numbers after a discontinuity")
        }
        if !isKnown, idle >= 2 * target { return .restart(reason: "lower numbers name unknown segments") }
        return idle >= 3 * target ? .undecided(index: list.segments.count - 1) : .stale
    }

    /// Whether numbers that both lists have name different segments or dates.
    private func contradicts(_ list: MediaPlaylist, target: Int64) -> Bool {
        var same = 0
        var other = 0
        let known = Dictionary(recent.map { ($0.number, $0) }, uniquingKeysWith: { a, _ in a })
        for index in list.segments.indices {
            guard let entry = Self.seen(list, index), let before = known[entry.number] else { continue }
            if let a = entry.programDateTime, let b = before.programDateTime {
                if abs(a - b) > target { other += 1 } else { same += 1 }
            } else if entry.core != before.core {
                other += 1
            } else {
                same += 1
            }
        }
        return other > same
    }

    private func newestDate(of list: MediaPlaylist) -> Int64? {
        list.segments.compactMap(\.programDateTimeMicroseconds).max()
    }

    static func number(_ list: MediaPlaylist, _ index: Int) -> Int64? {
        guard list.segments.indices.contains(index) else { return nil }
        return Int64(exactly: list.number(at: index))
    }

    private static func seen(_ list: MediaPlaylist, _ index: Int) -> Seen? {
        guard let number = number(list, index) else { return nil }
        let entry = list.segments[index]
        return Seen(
            number: number, core: core(of: entry), programDateTime: entry.programDateTimeMicroseconds)
    }

    /// The part of an entry's name that stays when hosts rotate and tokens change.
    private static func core(of entry: MediaSegment) -> String {
        let path = entry.uri.prefix { $0 != "?" && $0 != "#" }
        let name = path.split(separator: "/").last.map(String.init) ?? String(path)
        return entry.byteRange.map { "\(name)@\($0.offset)" } ?? name
    }

    /// The list's target duration in microseconds; derived from its segments when the tag is missing.
    static func target(of list: MediaPlaylist) -> Int64 {
        let longest = list.segments.lazy.map(\.durationMicroseconds).max() ?? 0
        let declared = Int64(list.targetDurationSeconds ?? 0) * 1_000_000
        let target = declared > 0 ? declared : longest
        return min(max(target, 1_000_000), 60_000_000)
    }
}
