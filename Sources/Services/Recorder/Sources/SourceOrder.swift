import Concurrency
import Timeline

/// Which of a channel's sources is in use, and which are preferred to it.
///
/// Decides only; it has no clock.
struct SourceOrder: Sendable {
    /// In order of preference: by priority, lower first, then as listed.
    let sources: [SourceSettings]
    private var index = 0
    /// Openings that failed one after the other.
    private(set) var failures = 0
    /// When a preferred source was last taken back, and how often that did not last.
    private var returned: SteadyInstant?
    private var relapses = 0

    init(_ sources: [SourceSettings]) {
        self.sources = sources.enumerated().sorted {
            ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset)
        }.map(\.element)
    }

    /// Nil when there are no sources.
    var current: SourceSettings? { sources.indices.contains(index) ? sources[index] : nil }

    /// Those that are taken back when they are good again, the most preferred first.
    var preferred: [SourceSettings] { Array(sources[..<min(index, sources.count)]) }

    /// How long a preferred source is left alone before it is looked at: longer after each return that did
    /// not last, as every change of source is a discontinuity.
    var scoutPause: Duration { min(Limits.scoutPause * (1 << min(relapses, 8)), Limits.longestScoutPause) }

    /// The source could be opened, and is to be opened again.
    mutating func reopened() {
        failures = 0
    }

    /// The source could not be opened; after `Limits.sourceTries` times the next one is tried.
    mutating func failed(now: SteadyInstant) {
        failures += 1
        if failures % Limits.sourceTries == 0 { leave(now: now) }
    }

    /// The source brings nothing: the next one is tried, after the last one the first.
    mutating func leave(now: SteadyInstant) {
        guard sources.count > 1 else { return }
        if let returned { relapses = now - returned < Limits.lastingReturn ? relapses + 1 : 0 }
        returned = nil
        index = (index + 1) % sources.count
    }

    /// A preferred source is good again.
    mutating func takeBack(_ source: SourceSettings, now: SteadyInstant) {
        guard let place = sources.firstIndex(of: source) else { return }
        index = place
        failures = 0
        returned = now
    }
}
