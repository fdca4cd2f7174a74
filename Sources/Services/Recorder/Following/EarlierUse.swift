import HLS
import Timeline

/// What this process knows about a source that it used before.
struct EarlierUse: Sendable {
    /// What its segments showed of EXTINF.
    var measured = MeasuredDurations()
    /// How far its media lay behind arrival, where it has no dates, microseconds.
    var offset: Int64?
    /// The entries of its last few playlists, as it numbered them.
    var entries: [SeenEntry] = []

    /// The newest entry of a playlist that the source listed then under the same number and name, and whether
    /// its date shows that it is the same segment; nil when there is none.
    ///
    /// An encoder that begins again may use the same names once more.
    func newest(in playlist: MediaPlaylist) -> (number: Int64, isDated: Bool)? {
        let pairs = entries.isEmpty ? [] : SeenEntry.pairs(SeenEntry.entries(of: playlist), in: entries)
        return pairs.last { $0.new.isSame(as: $0.known) }.map {
            ($0.new.number, $0.new.distance(to: $0.known) != nil)
        }
    }
}

extension RenditionProgress {
    /// The source in use is left.
    mutating func saveUse(of source: String) {
        var use = earlierUses[source] ?? EarlierUse()
        use.measured = measured
        if run != nil { use.offset = placing.clock == .arrival ? placing.sourceOffset ?? 0 : nil }
        if !follower.entries.isEmpty { use.entries = follower.entries }
        earlierUses[source] = use
    }

    /// Adapts all offsets after the recording clock was set by `step` microseconds.
    mutating func clockMoved(by step: Int64) {
        placing.clockMoved(by: step)
        for source in earlierUses.keys { earlierUses[source]?.clockMoved(by: step) }
        earlierUse?.clockMoved(by: step)
    }
}

extension EarlierUse {
    fileprivate mutating func clockMoved(by step: Int64) {
        offset = offset.map { TimePlacing.latency($0, after: step) }
    }
}
