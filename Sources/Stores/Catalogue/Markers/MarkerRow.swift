import Foundation
import Postgres
import Timeline

/// A row of `marker`.
struct MarkerRow: Equatable {
    /// What identifies a marker of a channel.
    struct Key: Hashable {
        var id: String
        var sourceStart: Instant

        init(_ marker: Marker) {
            (id, sourceStart) = (marker.id, marker.sourceStart)
        }

        init(from row: Row) throws {
            id = try row.decode("marker_id")
            sourceStart = Instant(microseconds: try row.decode("source_us"))
        }

        /// Whether a marker is the one that this identifies.
        func names(_ marker: Marker) -> Bool {
            id == marker.id
                && (marker.sourceStart - sourceStart).magnitude <= Marker.sourceTolerance.magnitude
        }
    }

    var key: Key
    /// How many markers of the channel have had the same id before.
    var ordinal: Int32
    var begin: Instant
    var end: Instant?
    var classID: String?
    var length: Int64?
    var plannedLength: Int64?
    var endsOnNext: Bool
    var versions: [RecordedMarker.Version]

    /// It counts as lasting until then.
    var until: Instant { versions.last?.until ?? begin }

    static let columns = """
        marker_id, source_us, ordinal, begin_us, end_us, class, length_us, planned_us, ends_on_next,
        versions::text AS versions
        """

    init(from row: Row) throws {
        key = try Key(from: row)
        ordinal = try row.decode("ordinal")
        begin = Instant(microseconds: try row.decode("begin_us"))
        end = try row.decode("end_us", as: Int64?.self).map(Instant.init(microseconds:))
        classID = try row.decode("class")
        length = try row.decode("length_us")
        plannedLength = try row.decode("planned_us")
        endsOnNext = try row.decode("ends_on_next")
        let text = try row.decode("versions", as: String.self)
        versions = try JSONDecoder().decode([RecordedMarker.Version].self, from: Data(text.utf8))
    }

    /// A marker that becomes known while the published log ends at `shown`.
    init(_ marker: Marker, ordinal: Int32, shown: Instant) {
        key = Key(marker)
        self.ordinal = ordinal
        begin = marker.begin
        classID = marker.classID
        length = marker.length
        plannedLength = marker.plannedLength
        endsOnNext = marker.endsOnNext
        end = length.map { marker.begin + $0 }
        versions = []
        versions = [
            RecordedMarker.Version(shown: shown, until: expectedUntil, attributes: marker.attributes)
        ]
    }

    var recorded: RecordedMarker {
        RecordedMarker(
            id: ordinal == 0 ? key.id : "\(key.id) (\(ordinal))", begin: begin, end: end, classID: classID,
            versions: versions)
    }
}

/// What becomes known later.
extension MarkerRow {
    /// Takes attributes that are not known yet; those that are known never change (RFC 8216bis §4.4.5.1).
    ///
    /// - Returns: whether there were any
    mutating func merge(_ marker: Marker, shown: Instant) -> Bool {
        let known = Set(versions.flatMap(\.attributes).map(\.name))
        let new = marker.attributes.filter { !known.contains($0.name) }
        guard !new.isEmpty else { return false }
        length = length ?? marker.length
        plannedLength = plannedLength ?? marker.plannedLength
        endsOnNext = endsOnNext || marker.endsOnNext
        end = length.map { begin + $0 } ?? end
        add(new, shown: shown)
        return true
    }

    /// The next marker of its class begins at an instant.
    ///
    /// - Returns: whether that says when it ends
    mutating func isFollowed(at next: Instant, shown: Instant) -> Bool {
        guard endsOnNext, length == nil, next > begin, end.map({ next < $0 }) ?? true else { return false }
        end = next
        add([], shown: shown)
        return true
    }

    /// Adds attributes that became known when the published log ended at `shown`.
    ///
    /// Growing playlists must keep listing the marker, so its new end is not before what they already list.
    private mutating func add(_ attributes: [PlaylistAttribute], shown: Instant) {
        let until = expectedUntil < until ? max(expectedUntil, min(until, shown)) : expectedUntil
        versions.append(RecordedMarker.Version(shown: shown, until: until, attributes: attributes))
    }

    private var expectedUntil: Instant {
        if let end { return end }
        if endsOnNext { return begin + Limits.openMarker }
        return begin + (plannedLength ?? 0)
    }
}
