import Timeline

/// Renditions beside each other.
extension Ledger {
    /// What an encoder's times may be off besides, microseconds.
    ///
    /// Each rendition follows dates in whole seconds to the second. Without dates one may have read two
    /// segments of which the other one knows only what EXTINF says.
    private static func stepTolerance(_ settings: Encoder.Settings) -> Int64 {
        switch (settings.dates, settings.saidDurations) {
        case (.wholeSeconds, _): 2_300_000
        case (.none, .exact), (.right, _), (.wrongZone, _): 300_000
        case (.none, .rounded): 1_300_000
        case (.none, _): 300_000 + Int64(2 * settings.wobble * Double(settings.duration))
        }
    }

    /// Segments that do not lie where the same media of another rendition lie, although nothing was wrong for
    /// minutes.
    ///
    /// A start that the other rendition's numbers give is taken within half a segment.
    func outOfStep(_ rows: [SimulatedCatalogue.Row], with leading: RenditionID) -> [String] {
        guard let id = rows.first?.fact.identity.rendition, id != leading else { return [] }
        let starts = Dictionary(
            (self.rows[leading] ?? []).map { (Place($0), $0.fact.start) }, uniquingKeysWith: { one, _ in one }
        )
        return rows.compactMap { row in
            let (source, index) = Media.source(row.fact.digest)
            let encoder = encoders[source]
            guard let start = starts[Place(row)], !row.fact.flags.contains(.late), isCalm(row.fact.start),
                !isUnknown(index, encoder)
            else { return nil }
            let apart = encoder.begin(of: index, id) - encoder.begin(of: index, leading)
            let error = row.fact.start - start - apart
            guard error.magnitude > encoder.settings.duration / 2 + Self.stepTolerance(encoder.settings)
            else { return nil }
            return
                "\(row.fact.identity) at \(seconds(row.fact.start)) s is \(Double(error) / 1_000_000) s "
                + "off from the same media of \(leading)"
        }
    }
}

/// A segment of an encoder, in whatever rendition.
private struct Place: Hashable {
    var source: Int
    var index: Int

    init(_ row: SimulatedCatalogue.Row) {
        (source, index) = Media.source(row.fact.digest)
    }
}
