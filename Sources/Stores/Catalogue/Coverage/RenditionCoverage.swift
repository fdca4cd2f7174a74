import Timeline

/// What is held of one rendition.
struct RenditionCoverage {
    var id: RenditionID
    var spans: [CoverageSpan]
    /// Nil when nothing is held of it.
    var life: TimeWindow?
}

extension [RenditionCoverage] {
    /// What each rendition holds, where a rendition that the source did not have yet, or has no more, lacks
    /// only what all others lack.
    ///
    /// A loss of its own says that it was there.
    func heldWhileAlive(_ losses: [Loss]) -> [RenditionID: WindowSet] {
        let anywhere = WindowSet(flatMap { $0.spans.map(\.window) })
        var held: [RenditionID: WindowSet] = [:]
        for rendition in self {
            let own = losses.filter { $0.rendition == rendition.id }.map(\.window)
            let alive = WindowSet(own + (rendition.life.map { [$0] } ?? []))
            let absent = anywhere.subtracting(alive).windows
            held[rendition.id] = WindowSet(rendition.spans.map(\.window) + absent)
        }
        return held
    }
}
