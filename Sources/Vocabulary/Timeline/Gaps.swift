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
        labelled(intended.subtracting(held), rendition: nil, losses)
    }

    /// Shorter differences come from how segments are cut and are not missing media.
    private static let toleranceMicroseconds: Int64 = 1000

    private static func labelled(_ windows: WindowSet, rendition: RenditionID?, _ losses: [Loss]) -> [Gap] {
        windows.windows.filter { $0.microseconds > toleranceMicroseconds }.map { window in
            let causes = losses.filter {
                ($0.rendition == nil || rendition == nil || $0.rendition == rendition)
                    && $0.window.overlaps(window)
            }
            return Gap(window: window, reason: reason(of: window, causes), rendition: rendition)
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
