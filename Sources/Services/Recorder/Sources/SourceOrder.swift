import Concurrency
import Timeline

/// Which of a channel's sources is in use, and which are preferred to it.
///
/// Decides only; it has no clock.
struct SourceOrder: Sendable {
    /// In order of preference: by priority, lower first, then as listed.
    let sources: [SourceSettings]
    private var index = 0
    /// Openings of the source in use that failed one after the other.
    private var tries = 0
    /// Sources that were left one after the other as they could not be opened.
    private var unopenedCount = 0
    /// When a preferred source was last taken back, and how often that did not last.
    private var returned: SteadyInstant?
    private var failedReturns = 0

    init(_ sources: [SourceSettings]) {
        self.sources = sources.enumerated().sorted {
            ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset)
        }.map(\.element)
    }

    /// Nil when there are no sources.
    var current: SourceSettings? { sources.indices.contains(index) ? sources[index] : nil }

    /// Those that are taken back when they are good again, the most preferred first.
    var preferred: [SourceSettings] { Array(sources[..<min(index, sources.count)]) }

    /// How long to wait before a preferred source is checked again.
    ///
    /// Longer after each return that did not last, because every change of source is a discontinuity.
    var failbackPause: Duration {
        min(Limits.failbackPause * (1 << min(failedReturns, 8)), Limits.longestFailbackPause)
    }

    /// How often all sources failed to open, one after the other.
    var rounds: Int { unopenedCount / max(1, sources.count) }

    /// Starts with the source that was recorded last, if the channel still has it.
    ///
    /// Its list continues what is held, and may be gone by the time another source has proved to be
    /// unreachable.
    mutating func begin(with identity: String?) {
        index = sources.firstIndex { SourceClient.identity($0.url) == identity } ?? 0
    }

    /// The source could be opened: failures count from the beginning.
    mutating func opened() {
        (tries, unopenedCount) = (0, 0)
    }

    /// What is opened after a source that could not be.
    enum NextOpening: Sendable, Equatable {
        /// The same one once more, as it may have failed by chance.
        case again
        /// Another one, at once: what it lists slides away.
        case another
        /// None could be opened: after a pause that grows with the rounds.
        case later
    }

    /// Takes a failed attempt to open the source, which took `duration`; returns what is opened next.
    ///
    /// With several sources each is tried `Limits.sourceTries` times in the first round, but only once if the
    /// attempt takes `Limits.openingPatience` or longer.
    mutating func failed(after duration: Duration, now: SteadyInstant) -> NextOpening {
        tries += 1
        let mayTryAgain = sources.count > 1 && rounds == 0 && duration < Limits.openingPatience
        if mayTryAgain, tries < Limits.sourceTries { return .again }
        leave(now: now)
        unopenedCount += 1
        return unopenedCount % max(1, sources.count) == 0 ? .later : .another
    }

    /// The source brings nothing: the next one is tried, after the last one the first.
    mutating func leave(now: SteadyInstant) {
        guard sources.count > 1 else { return }
        if let returned { failedReturns = now - returned < Limits.stableFailback ? failedReturns + 1 : 0 }
        (returned, tries) = (nil, 0)
        index = (index + 1) % sources.count
    }

    /// A preferred source is good again.
    mutating func failBack(_ source: SourceSettings, now: SteadyInstant) {
        guard let place = sources.firstIndex(of: source) else { return }
        index = place
        opened()
        returned = now
    }
}
