/// Computes gaps; they are never stored, so they cannot contradict what is held.
package enum Gaps {
    /// Finds the parts that should have been recorded but are not held.
    ///
    /// A part that every rendition lacks is one gap of the whole channel.
    ///
    /// - Parameters:
    ///   - intended: when the channel was set to record, up to the live edge
    ///   - held: what each rendition holds
    ///   - losses: the causes that the recorder reported; a gap takes the one that covers most of it
    /// - Returns: the gaps, ordered by begin
    package static func computed(
        intended: WindowSet, held: [RenditionID: WindowSet], losses: [Loss],
    ) -> [Gap] {
        let losses = OrderedLosses(losses)
        let missing = held.mapValues { intended.subtracting($0) }
        guard let first = missing.values.first else { return labelled(intended, rendition: nil, losses) }
        let common = missing.values.dropFirst().reduce(first) { $0.intersection($1) }
        var gaps = labelled(common, rendition: nil, losses)
        if held.count > 1 {
            for (rendition, own) in missing {
                gaps += labelled(own.subtracting(common), rendition: rendition, losses)
            }
        }
        return gaps.sorted {
            ($0.window.begin, $0.rendition?.description ?? "") < (
                $1.window.begin, $1.rendition?.description ?? ""
            )
        }
    }

    /// Finds the parts that should have been recorded and that no rendition holds.
    package static func common(intended: WindowSet, held: WindowSet, losses: [Loss]) -> [Gap] {
        labelled(intended.subtracting(held), rendition: nil, OrderedLosses(losses))
    }

    /// Shorter differences come from how segments are cut and are not missing media.
    private static let toleranceMicroseconds: Int64 = 1000

    private static func labelled(
        _ windows: WindowSet, rendition: RenditionID?, _ losses: OrderedLosses,
    ) -> [Gap] {
        var causes = losses.sweep()
        return windows.windows.filter { $0.microseconds > toleranceMicroseconds }.map { window in
            let own = causes.advance(to: window).filter {
                $0.rendition == nil || rendition == nil || $0.rendition == rendition
            }
            return Gap(window: window, reason: reason(of: window, own), rendition: rendition)
        }
    }

    /// The cause that covers most of a gap.
    ///
    /// `recorderDown` counts only where there is no other cause: the cause before it may have continued while
    /// the recorder was down.
    private static func reason(of window: TimeWindow, _ causes: [Loss]) -> GapReason {
        let known = WindowSet(causes.filter { $0.reason != .recorderDown }.map(\.window))
        func covered(_ loss: Loss) -> Int64 {
            let part = loss.window.clamped(to: window)
            guard loss.reason == .recorderDown else { return part.microseconds }
            return WindowSet([part]).subtracting(known).microseconds
        }
        let cause = causes.max { covered($0) < covered($1) }
        return cause.flatMap { covered($0) > 0 ? $0.reason : nil } ?? .recorderDown
    }
}

/// Losses in the order of their begins, so that those of many windows are found in one pass.
private struct OrderedLosses {
    fileprivate struct Entry {
        var loss: Loss
        /// Its place among the losses as they were given: of causes that cover as much, the first one counts.
        var place: Int
    }

    private let entries: [Entry]

    init(_ losses: [Loss]) {
        entries = losses.enumerated().map { Entry(loss: $0.element, place: $0.offset) }
            .sorted { ($0.loss.window.begin, $0.place) < ($1.loss.window.begin, $1.place) }
    }

    func sweep() -> Sweep { Sweep(entries: entries) }

    /// Goes through windows that are in order and do not overlap.
    struct Sweep {
        fileprivate let entries: [Entry]
        private var next = 0
        /// Those that have begun before the end of the last window and had not ended at its begin.
        private var open: [Entry] = []

        fileprivate init(entries: [Entry]) {
            self.entries = entries
        }

        /// The losses that overlap the next window, as they were given.
        mutating func advance(to window: TimeWindow) -> [Loss] {
            while next < entries.count, entries[next].loss.window.begin < window.end {
                open.append(entries[next])
                next += 1
            }
            open.removeAll { $0.loss.window.end <= window.begin }
            return open.sorted { $0.place < $1.place }.map(\.loss)
        }
    }
}
