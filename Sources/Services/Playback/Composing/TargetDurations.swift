import Catalogue
import Timeline

/// The target durations of a channel's growing playlists.
///
/// What a playlist states depends on what it lists, not on what has been published since.
struct TargetDurations {
    /// In order; the first one also applies to the time before it.
    private let rises: [TargetRise]
    private let newest: Int

    /// Rises after the published head are left out.
    init(_ rises: [TargetRise], _ publishedHead: PublishedHead) {
        self.rises = rises.filter { $0.discontinuitySequence <= publishedHead.discontinuitySequence }
        newest = publishedHead.targetSeconds
    }

    /// The target duration of a playlist that ends at an instant, seconds.
    func seconds(at edge: Instant) -> Int {
        (rises.last { $0.begin < edge } ?? rises.first)?.targetSeconds ?? newest
    }

    /// The rises within a window, each with the target duration before it.
    func rises(in window: TimeWindow) -> [(begin: Instant, formerSeconds: Int)] {
        zip(rises, rises.dropFirst()).compactMap { previous, rise in
            window.contains(rise.begin) ? (rise.begin, previous.targetSeconds) : nil
        }
    }
}

extension [TargetRise] {
    /// These rises and newer ones.
    ///
    /// A newer rise replaces those at or after its begin: the channel was reanchored.
    func followed(by newer: [TargetRise]) -> [TargetRise] {
        var rises = self
        for rise in newer {
            rises.removeAll { $0.begin >= rise.begin }
            if rise.targetSeconds > rises.last?.targetSeconds ?? 0 { rises.append(rise) }
        }
        return rises
    }
}
