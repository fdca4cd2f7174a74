import HLS
import Synchronization
package import Timeline

/// A marker with its EXT-X-DATERANGE as playlists write it, made on first use: many playlists have the same
/// tags.
package final class MarkerText: Sendable {
    /// Which attributes of a marker a tag contains.
    enum Part: Hashable {
        case all
        /// What became known up to a version.
        case upTo(Int)
        /// What became known with a version.
        case only(Int)
    }

    let marker: RecordedMarker
    private let lines = Mutex<[Part: [UInt8]]>([:])

    package init(_ marker: RecordedMarker) {
        self.marker = marker
    }

    /// The line of a tag.
    func line(_ part: Part) -> [UInt8] {
        lines.withLock { lines in
            if let line = lines[part] { return line }
            var writer = PlaylistWriter()
            writer.dateRange(marker.range(attributes(part)))
            lines[part] = writer.bytes
            return writer.bytes
        }
    }

    private func attributes(_ part: Part) -> [PlaylistAttribute] {
        switch part {
        case .all: marker.attributes
        case .upTo(let version): marker.versions[...version].flatMap(\.attributes)
        case .only(let version): marker.versions[version].attributes
        }
    }
}

extension RecordedMarker {
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
