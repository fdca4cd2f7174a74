import Timeline

/// An EXT-X-DATERANGE tag and its position in a playlist.
struct MarkerTag: Sendable {
    /// In front of the first segment that begins at or after this instant.
    var place: Instant
    var line: [UInt8]
}

extension PlaylistContents {
    /// The tags of all markers, in playlist order; they are the same in every rendition.
    ///
    /// A closed window has one tag for each marker, before its first segment. A growing playlist never
    /// changes what it has listed: a tag is written where the playlist ended when the marker became known.
    /// What the source added later gets a tag of its own (RFC 8216bis §4.4.5.1).
    func markerTags() -> [MarkerTag] {
        let written = markers.written(in: markerWindow)
        guard plan.kind != .closed else {
            return markers.closedLines(in: markerWindow).map {
                MarkerTag(place: Instant(microseconds: .min), line: $0)
            }
        }
        let placed = written.flatMap { $0.growingTags(from: markerWindow.begin) }
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

extension [MarkerText] {
    /// The tags of a closed window, in their order.
    func closedLines(in window: TimeWindow) -> [[UInt8]] {
        written(in: window).prefix(Limits.markersPerPlaylist).map { $0.line(.all) }
    }

    /// Whether a tag in a closed window may still change, or one may still be added.
    ///
    /// A source announces a break for advertising with SCTE35-OUT or PLANNED-DURATION. It states the DURATION
    /// when the break ends (RFC 8216 §4.3.2.7.1). Nothing that begins before `published` can appear any more.
    func mayChange(in window: TimeWindow, published: Instant) -> Bool {
        contains {
            $0.marker.begin < window.end && $0.marker.isWritten && $0.marker.isOpen(at: published)
        }
    }

    fileprivate func written(in window: TimeWindow) -> [MarkerText] {
        filter { $0.marker.isWritten && $0.marker.overlaps(window) }
    }
}

extension RecordedMarker {
    /// False for an interstitial: it names media that are not recorded, and players would fetch them.
    fileprivate var isWritten: Bool { classID != "com.apple.hls.interstitial" }

    /// Whether the source still has to state its end, which is not overdue by `Limits.markerLead`.
    fileprivate func isOpen(at published: Instant) -> Bool {
        end == nil && published < until + Limits.markerLead
            && attributes.contains { $0.name == "SCTE35-OUT" || $0.name == "PLANNED-DURATION" }
    }
}

extension MarkerText {
    /// The tags of a growing playlist that begins at an instant.
    ///
    /// The first tag has the attributes of all versions up to the first one that overlaps the playlist.
    fileprivate func growingTags(from begin: Instant) -> [MarkerTag] {
        let versions = marker.versions
        guard let first = versions.firstIndex(where: { marker.begin >= begin || $0.until > begin }) else {
            return []
        }
        let announced = marker.begin - Limits.markerLead
        var tags = [MarkerTag(place: max(versions[first].shown, announced), line: line(.upTo(first)))]
        for index in versions.indices.dropFirst(first + 1) where !versions[index].attributes.isEmpty {
            tags.append(
                MarkerTag(place: max(versions[index].shown, announced), line: line(.only(index))))
        }
        return tags
    }
}
