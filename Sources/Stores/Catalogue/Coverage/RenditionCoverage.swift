import Timeline

/// What the archive holds of one rendition.
struct RenditionCoverage {
    var id: RenditionID
    var row: Int32
    var spans: [CoverageSpan]
    /// Nil if it holds nothing.
    var extent: TimeWindow?
}

extension [RenditionCoverage] {
    /// Computes what counts as held of each rendition.
    ///
    /// While a rendition did not exist in the source, it only lacks what all other renditions lack too. A
    /// loss recorded for a rendition proves that it existed.
    func coveredWithinExtent(_ losses: [Loss]) -> [RenditionID: WindowSet] {
        let anywhere = WindowSet(flatMap { $0.spans.map(\.window) })
        var held: [RenditionID: WindowSet] = [:]
        for rendition in self {
            let own = losses.filter { $0.rendition == rendition.id }.map(\.window)
            let alive = WindowSet(own + (rendition.extent.map { [$0] } ?? []))
            let absent = anywhere.subtracting(alive).windows
            held[rendition.id] = WindowSet(rendition.spans.map(\.window) + absent)
        }
        return held
    }
}
