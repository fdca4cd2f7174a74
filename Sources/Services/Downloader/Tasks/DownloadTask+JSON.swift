package import JSON
import Timeline

extension DownloadTask {
    /// The task as programs read it.
    package var json: JSONValue {
        [
            "id": .string(id), "url": .string(url), "title": .string(title),
            "state": .string(state.rawValue), "progress": .number(progress), "bytes": .integer(bytes),
            "speed_bytes_per_second": .integer(speedBytesPerSecond),
            "segments": ["done": .integer(Int64(segmentsDone)), "total": .integer(Int64(segmentsTotal))],
            "duration_seconds": .number(durationSeconds), "file": JSONValue(file),
            "picture": JSONValue(picture),
            "error": error.map { ["title": .string($0.title), "detail": .string($0.detail)] } ?? .null,
            "renditions": .array(renditions.map(\.json)),
            "labels": .object(
                labels.sorted { $0.key < $1.key }.map {
                    JSONValue.Member(name: $0.key, value: .string($0.value))
                }
            ),
            "created": .string(created.rfc3339), "started": JSONValue(started?.rfc3339),
            "finished": JSONValue(finished?.rfc3339),
        ]
    }
}

extension TaskRendition {
    var json: JSONValue {
        [
            "id": .string(id.description), "kind": .string(kind.rawValue), "language": JSONValue(language),
            "name": JSONValue(name), "bits_per_second": JSONValue(bitsPerSecond), "width": JSONValue(width),
            "height": JSONValue(height), "codecs": JSONValue(codecs),
        ]
    }
}

extension JSONValue {
    fileprivate init(_ text: String?) {
        self = text.map(JSONValue.string) ?? .null
    }

    fileprivate init(_ number: Int?) {
        self = number.map { .integer(Int64($0)) } ?? .null
    }
}
