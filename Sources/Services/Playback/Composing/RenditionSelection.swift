import Catalogue
import Timeline

/// Decides which stretches of one rendition an answer lists, and where the answer must end because of them.
struct RenditionSelection {
    /// Positions of the segments to list, in order.
    var ranges: [Range<Int>] = []
    /// The answer ends here, because another container or a long stretch without a track begins.
    var end: Instant?
    /// Nothing after this instant may be listed yet, because a stretch begins here whose length is still
    /// unknown.
    var hold: Instant?
    /// Whether stretches before the first one could change the selection: something is left out, or the
    /// answer ends where tracks begin that the first stretch lacks.
    var dependsOnFirstSegments = false
    /// Whether a closed window leaves out a stretch that is still growing, and ends the answer if it becomes
    /// long.
    var isUndecided = false

    /// Selects stretches; nothing that begins before `published` can appear any more.
    init(_ stretches: [Stretch], plan: WindowPlan, published: Instant) {
        let inside = stretches.filter { $0.window.overlaps(plan.window) }
        guard var reference = Self.reference(inside, plan)?.format else { return }
        for stretch in inside {
            let continues =
                plan.allowsMissingTracks
                ? stretch.format.container == reference.container : stretch.format.joins(reference)
            if continues {
                if reference.tracks.isEmpty { reference = stretch.format }
                ranges.append(stretch.range)
            } else if ranges.isEmpty || stretch.format.lacksTracks(of: reference) && !stretch.isLong {
                let isOpen = published - stretch.window.end <= Limits.holeTolerance
                if isOpen, plan.kind == .event {
                    hold = stretch.window.begin
                    return
                }
                if isOpen, !ranges.isEmpty { isUndecided = true }
                dependsOnFirstSegments = true
            } else {
                let isOtherContainer = stretch.format.container != reference.container
                if !isOtherContainer, !stretch.format.lacksTracks(of: reference) {
                    dependsOnFirstSegments = true
                }
                end = stretch.window.begin
                return
            }
        }
    }

    /// The stretch to which the others are compared; an EVENT playlist keeps the one with which it began.
    private static func reference(_ stretches: [Stretch], _ plan: WindowPlan) -> Stretch? {
        plan.kind == .event || plan.allowsMissingTracks ? stretches.first : stretches.reference
    }
}
