import HLS
import Timeline

/// EXT-X-DATERANGE, and where in a playlist it stands.
struct MarkerTag: Sendable {
    /// In front of the first segment that begins at or after this instant.
    var place: Instant
    var range: DateRange
}

extension PlaylistContents {
    /// The tags of all markers, in the order in which they stand; they are the same in every rendition.
    ///
    /// A closed window has them in front of its first segment, one for each marker. A growing playlist never
    /// changes what it has stated: a tag stands where the playlist ended when it became known, and what the
    /// source added later stands in a tag of its own (RFC 8216bis §4.4.5.1).
    func markerTags() -> [MarkerTag] {
        let placed = markers.filter { $0.isWritten && $0.overlaps(markerWindow) }.flatMap { marker in
            plan.kind == .closed
                ? [MarkerTag(place: Instant(microseconds: .min), range: marker.range(marker.attributes))]
                : marker.growingTags(from: markerWindow.begin)
        }
        let ordered = placed.enumerated().sorted {
            ($0.element.place, $0.offset) < ($1.element.place, $1.offset)
        }
        .map(\.element)
        // A sliding playlist drops the oldest ones, any other must not change its beginning.
        return plan.kind == .sliding
            ? ordered.suffix(Limits.markersPerPlaylist) : Array(ordered.prefix(Limits.markersPerPlaylist))
    }

    /// Markers that lie in it are written.
    private var markerWindow: TimeWindow {
        switch plan.kind {
        case .closed, .event: plan.window
        case .sliding: TimeWindow(begin: window.begin, end: window.end + Limits.markerLead)
        }
    }
}

extension RecordedMarker {
    /// An interstitial names other media of the source, which are not recorded: a player would look for them.
    fileprivate var isWritten: Bool { classID != "com.apple.hls.interstitial" }

    /// The tags of a growing playlist that begins at an instant.
    ///
    /// What the marker has said until it reaches into the playlist stands in its first tag.
    fileprivate func growingTags(from begin: Instant) -> [MarkerTag] {
        guard let first = versions.firstIndex(where: { self.begin >= begin || $0.until > begin }) else {
            return []
        }
        let announced = self.begin - Limits.markerLead
        var tags = [
            MarkerTag(
                place: max(versions[first].shown, announced),
                range: range(versions[...first].flatMap(\.attributes)))
        ]
        for version in versions[(first + 1)...] where !version.attributes.isEmpty {
            tags.append(
                MarkerTag(
                    place: max(version.shown, announced), range: range(version.attributes)))
        }
        return tags
    }

    /// A tag with some of the attributes; its dates are those of the recording.
    fileprivate func range(_ attributes: [PlaylistAttribute]) -> DateRange {
        var list = AttributeList(attributes.filter { $0.name != "END-DATE" })
        list.append("ID", quoted: id)
        var range = DateRange(list) ?? DateRange(id: id, startMicroseconds: nil)
        range.classIdentifier = classID
        range.startMicroseconds = begin.microseconds
        if attributes.contains(where: { $0.name == "END-DATE" }) { range.endMicroseconds = end?.microseconds }
        return range
    }
}
