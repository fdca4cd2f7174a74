import Catalogue
import HLS
import JSON
import Timeline

/// A marker of a timeline, whether the source stated it as EXT-X-DATERANGE or as a cue tag.
struct TimelineMarker: Equatable {
    var id: String
    /// CLASS, or the name of a cue tag.
    var classID: String?
    var begin: Instant
    /// Nil if it is unknown.
    var end: Instant?
    var attributes: [JSONValue.Member]

    var document: JSONValue {
        [
            "id": .string(id),
            "class": .optional(classID),
            "begin": .optional(begin),
            "end": .optional(end),
            "attributes": .object(attributes),
        ]
    }

    init(_ marker: RecordedMarker) {
        id = marker.id
        classID = marker.classID
        begin = marker.begin
        end = marker.end
        attributes = marker.attributes.filter { $0.name != "END-DATE" }.map {
            JSONValue.Member(name: $0.name, value: .string($0.value))
        }
    }

    private init(_ tag: CueTag, id: String, begin: Instant) {
        self.id = id
        self.begin = begin
        classID = tag.tag.rawValue
        attributes = tag.attributes.attributes.map {
            JSONValue.Member(name: $0.name, value: .string($0.value))
        }
        if let value = tag.value { attributes = [JSONValue.Member(name: "value", value: .string(value))] }
    }
}

extension TimelineMarker {
    /// Cue tags as markers, in order.
    ///
    /// A break ends where it is said to end, else after the length that it is said to have. The tags that
    /// repeat within a break that it goes on are left out, unless its beginning is not among the tags.
    static func markers(of cueTags: [RecordedCueTags]) -> [TimelineMarker] {
        var markers: [TimelineMarker] = []
        var open: Int?
        for place in cueTags {
            for (index, line) in place.tags.enumerated() {
                guard let tag = CueTag(line: line) else { continue }
                if tag.tag == .cueOutContinued, open != nil { continue }
                if tag.tag == .cueIn, let last = open.take() { markers[last].end = place.begin }
                var marker = TimelineMarker(
                    tag, id: "cue-\(place.begin.milliseconds)-\(index)", begin: place.begin)
                if tag.tag == .cueOut { marker.end = tag.durationMicroseconds.map { place.begin + $0 } }
                if tag.tag == .cueOut || tag.tag == .cueOutContinued { open = markers.count }
                markers.append(marker)
            }
        }
        return markers
    }
}
