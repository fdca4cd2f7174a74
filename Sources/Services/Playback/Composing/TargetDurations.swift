import Catalogue
import Timeline

/// The target durations of a channel's growing playlists.
///
/// What a playlist states depends on what it lists, not on what has been published since.
struct TargetDurations {
    /// In their order; the first one has what is known of the time before, too.
    private let rises: [TargetRise]
    private let newest: Int

    /// What rose behind the head is left out.
    init(_ rises: [TargetRise], _ publishedHead: PublishedHead) {
        self.rises = rises.filter { $0.discontinuitySequence <= publishedHead.discontinuitySequence }
        newest = publishedHead.targetSeconds
    }

    /// The target duration of a playlist that ends at an instant, seconds.
    func seconds(at edge: Instant) -> Int {
        (rises.last { $0.begin < edge } ?? rises.first)?.targetSeconds ?? newest
    }

    /// Where it rose within a window, with the target duration of playlists that end there.
    func rises(in window: TimeWindow) -> [(begin: Instant, formerSeconds: Int)] {
        zip(rises, rises.dropFirst()).compactMap { former, rise in
            window.contains(rise.begin) ? (rise.begin, former.targetSeconds) : nil
        }
    }
}

extension [TargetRise] {
    /// The same with what has become known since.
    ///
    /// Of a channel that was reanchored what lay ahead is no more.
    func followed(by newer: [TargetRise]) -> [TargetRise] {
        var rises = self
        for rise in newer {
            rises.removeAll { $0.begin >= rise.begin }
            if rise.targetSeconds > rises.last?.targetSeconds ?? 0 { rises.append(rise) }
        }
        return rises
    }
}
