import Timeline

/// Renditions beside each other.
extension RecordingChecker {
    /// The additional time by which two renditions of an encoder may differ, microseconds.
    ///
    /// With dates in whole seconds each rendition is exact only to the second. Without dates one of them may
    /// have measured two segments for which the other one knows only EXTINF.
    private static func stepTolerance(_ settings: Encoder.Settings) -> Int64 {
        switch (settings.dates, settings.statedDurations) {
        case (.wholeSeconds, _): 2_300_000
        case (.none, .exact), (.right, _), (.wrongZone, _): 300_000
        case (.none, .rounded): 1_300_000
        case (.none, _): 300_000 + Int64(2 * settings.jitter * Double(settings.duration))
        }
    }

    /// Segments whose start differs from that of the same media in the leading rendition.
    ///
    /// Only segments in a time without faults are checked. Half a segment is allowed, because the recorder
    /// accepts a start from the other rendition's numbers within it.
    func misalignedSegments(_ rows: [SimulatedCatalogue.Row], with leading: RenditionID) -> [String] {
        guard let id = rows.first?.fact.identity.rendition, id != leading else { return [] }
        let others = self.rows[leading] ?? []
        let starts = Dictionary(
            others.indices.map { (Place(others[$0].fact.digest), others[$0].fact.start) },
            uniquingKeysWith: { one, _ in one })
        return rows.indices.compactMap { row in
            let (digest, own) = (rows[row].fact.digest, rows[row].fact.start)
            let (source, index) = Media.source(digest)
            let encoder = encoders[source]
            guard let start = starts[Place(digest)], !rows[row].fact.flags.contains(.late), isFaultFree(own),
                !isUnknown(index, encoder)
            else { return nil }
            let apart = encoder.begin(of: index, id) - encoder.begin(of: index, leading)
            let error = own - start - apart
            guard error.magnitude > encoder.settings.duration / 2 + Self.stepTolerance(encoder.settings)
            else { return nil }
            return
                "\(rows[row].fact.identity) at \(seconds(own)) s is \(Double(error) / 1_000_000) s "
                + "off from the same media of \(leading)"
        }
    }
}

/// A segment of an encoder, in whatever rendition.
private struct Place: Hashable {
    var source: Int
    var index: Int

    init(_ digest: [UInt8]) {
        (source, index) = Media.source(digest)
    }
}
