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
    /// The cue tags of held segments and, from the markers, those of lost segments; in order of time.
    ///
    /// A tag of a lost segment is left out if a held segment has the same tag within about a second.
    static func cueTags(
        _ held: [RecordedCueTags], with markers: [RecordedMarker],
    ) -> [RecordedCueTags] {
        let places = Set(
            held.flatMap { held in held.tags.map { CuePlace(tag: $0, second: held.begin.wholeSeconds) } })
        let lost = markers.compactMap { marker -> RecordedCueTags? in
            guard let tag = DateRange.cueTag(of: marker.attributes) else { return nil }
            let second = marker.begin.wholeSeconds
            let isHeld = (second - 1...second + 1).contains {
                places.contains(CuePlace(tag: tag, second: $0))
            }
            return isHeld ? nil : RecordedCueTags(begin: marker.begin, tags: [tag])
        }
        guard !lost.isEmpty else { return held }
        var all: [RecordedCueTags] = []
        for place in (held + lost).enumerated().sorted(by: {
            ($0.element.begin, $0.offset) < ($1.element.begin, $1.offset)
        }).map(\.element) {
            if all.last?.begin == place.begin {
                all[all.count - 1].tags += place.tags
            } else {
                all.append(place)
            }
        }
        return all
    }

    /// Cue tags as markers, in order.
    ///
    /// A break ends at its EXT-X-CUE-IN, else after the duration that its EXT-X-CUE-OUT states.
    /// EXT-X-CUE-OUT-CONT tags are left out, unless the beginning of their break is missing.
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

/// A cue tag at about a time.
private struct CuePlace: Hashable {
    var tag: String
    /// Since 1970 UTC.
    var second: Int64
}

extension Instant {
    fileprivate var wholeSeconds: Int64 { microseconds / Microseconds.perSecond }
}
