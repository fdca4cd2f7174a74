import HLS
import Timeline

/// The markers of a channel, whichever rendition lists them, and what their sources have said so far.
///
/// Bounded: what an excessive playlist lists beyond the bounds is left out.
struct KnownMarkers: Sendable {
    fileprivate struct Key: Hashable {
        var id: String
        var sourceStart: Int64
    }

    private struct Known {
        /// What the source said last.
        var range: DateRange?
        var marker: Marker
    }

    private var known: [Key: Known] = [:]
    /// The markers of each id, the newest last.
    private var keysByID: [String: [Key]] = [:]
    /// New markers of the present hour; older ones count apart, as a first playlist may list many.
    private var hour: (number: Int64, count: Int, oldCount: Int) = (0, 0, 0)

    /// Takes what a playlist lists.
    ///
    /// - Parameters:
    ///   - ranges: those of the playlist
    ///   - dates: how the source's dates relate to the timeline
    ///   - first: the beginning of the playlist in the source's time; what ends before it is not taken
    ///   - arrival: when the playlist was fetched
    /// - Returns: markers that are new or of which more is known
    mutating func take(
        _ ranges: [DateRange], dates: SourceDates, first: Instant?, at arrival: Instant,
    ) -> [Marker] {
        var changed: [Marker] = []
        for range in ranges.suffix(Limits.listedMarkers) {
            guard let key = key(of: range), isBounded(range) else { continue }
            if let marker = merge(range, key) {
                changed.append(marker)
            } else if known[key] == nil, let marker = add(range, key, dates, first: first, at: arrival) {
                changed.append(marker)
            }
        }
        return changed
    }

    /// What an earlier process has left in the journal.
    mutating func resume(_ marker: Marker) {
        hold(Known(range: nil, marker: marker), Key(marker))
    }

    /// The key of the known marker with about the same date, else a new key.
    ///
    /// A tag that adds to a marker may have no START-DATE.
    private func key(of range: DateRange) -> Key? {
        guard let start = range.startMicroseconds else { return keysByID[range.id]?.last }
        let known = keysByID[range.id]?.last {
            ($0.sourceStart - start).magnitude <= Marker.sourceTolerance.magnitude
        }
        return known ?? Key(id: range.id, sourceStart: start)
    }

    private func isBounded(_ range: DateRange) -> Bool {
        range.id.utf8.count <= Limits.markerIDBytes
            && Self.byteCount(of: range.attributes.attributes) <= Limits.markerBytes
    }

    private static func byteCount(of attributes: [PlaylistAttribute]) -> Int {
        attributes.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }

    /// Adds new attributes to a known marker, within the bounds; nil if none were added.
    private mutating func merge(_ range: DateRange, _ key: Key) -> Marker? {
        guard let entry = known[key], entry.range != range else { return nil }
        known[key]?.range = range
        let names = Set(entry.marker.attributes.map(\.name))
        let start = range.startMicroseconds.map { Instant(microseconds: $0) } ?? entry.marker.sourceStart
        let said = Marker(range, sourceStart: start, begin: entry.marker.begin)
        var byteCount = Self.byteCount(of: entry.marker.attributes)
        let new = said.attributes.filter { attribute in
            let sum = byteCount + Self.byteCount(of: [attribute])
            guard !names.contains(attribute.name), sum <= Limits.mergedMarkerBytes else { return false }
            byteCount = sum
            return true
        }
        guard !new.isEmpty else { return nil }
        var marker = entry.marker
        marker.attributes += new
        marker.classID = marker.classID ?? said.classID
        marker.length = marker.length ?? said.length
        marker.plannedLength = marker.plannedLength ?? said.plannedLength
        marker.endsOnNext = marker.endsOnNext || said.endsOnNext
        known[key]?.marker = marker
        return marker
    }

    private mutating func add(
        _ range: DateRange, _ key: Key, _ dates: SourceDates, first: Instant?, at arrival: Instant,
    ) -> Marker? {
        let start = Instant(microseconds: key.sourceStart)
        let marker = Marker(range, sourceStart: start, begin: dates.begin(of: start, arrival: arrival))
        let length = marker.length ?? (marker.endsOnNext ? .max : marker.plannedLength ?? 0)
        if let first, start + length < first { return nil }
        guard admits(marker, at: arrival) else { return nil }
        hold(Known(range: range, marker: marker), key)
        return marker
    }

    /// Counts a new marker; false when there were too many within the hour.
    private mutating func admits(_ marker: Marker, at arrival: Instant) -> Bool {
        let length = 3600 * Microseconds.perSecond
        let number = arrival.microseconds / length
        if hour.number != number { hour = (number, 0, 0) }
        if marker.begin + length < arrival {
            hour.oldCount += 1
            return hour.oldCount <= Limits.listedMarkers
        }
        hour.count += 1
        return hour.count <= Limits.markersPerHour
    }

    private mutating func hold(_ entry: Known, _ key: Key) {
        if known.updateValue(entry, forKey: key) == nil {
            keysByID[key.id, default: []].append(key)
            keysByID[key.id]?.sort { $0.sourceStart < $1.sourceStart }
        }
        guard known.count > Limits.heldMarkers else { return }
        let newest = known.sorted { $0.key.sourceStart > $1.key.sourceStart }.prefix(
            Limits.heldMarkers * 3 / 4)
        known = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
        keysByID = Dictionary(grouping: known.keys.sorted { $0.sourceStart < $1.sourceStart }, by: \.id)
    }
}

extension KnownMarkers.Key {
    fileprivate init(_ marker: Marker) {
        self.init(id: marker.id, sourceStart: marker.sourceStart.microseconds)
    }
}

extension Marker {
    /// What one tag, or all with its ID, says.
    fileprivate init(_ range: DateRange, sourceStart: Instant, begin: Instant) {
        let own: Set<String> = ["ID", "CLASS", "START-DATE"]
        let end = range.endMicroseconds.map { Instant(microseconds: $0) - sourceStart }
        self.init(
            id: range.id, sourceStart: sourceStart, begin: begin, classID: range.classIdentifier,
            length: end.flatMap { $0 >= 0 ? $0 : nil } ?? range.durationMicroseconds,
            plannedLength: range.plannedDurationMicroseconds, endsOnNext: range.endsOnNext,
            attributes: range.attributes.attributes.filter { !own.contains($0.name) })
    }
}
