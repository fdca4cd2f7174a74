import HLS
import JSON

extension ProbeReport {
    /// The report as one object of JSON on a line; every report has the same members.
    ///
    /// A count that does not apply is 0, and another value that does not apply is null.
    package var jsonLine: [UInt8] { json.bytes + [UInt8(ascii: "\n")] }

    var json: JSONValue {
        .object(identity + common + ofMedia + ofMultivariant + [member("notes", .array(notes.map(\.json)))])
    }

    private var identity: [JSONValue.Member] {
        let kind: JSONValue =
            switch outcome {
            case .read(.media): "media"
            case .read(.multivariant): "multivariant"
            case .refused: "refused"
            }
        return [
            member("source", .string(source)), member("kind", kind),
            member("reason", obstacle.map(JSONValue.string) ?? .null),
            member("recordable", .bool(obstacle == nil)),
        ]
    }

    private var common: [JSONValue.Member] {
        let version: Int? =
            switch outcome {
            case .read(.media(let playlist)): playlist.version
            case .read(.multivariant(let playlist)): playlist.version
            case .refused: nil
            }
        return [member("version", version.map { .integer(Int64($0)) } ?? .null)]
    }

    private var ofMedia: [JSONValue.Member] {
        var media: MediaPlaylist?
        if case .read(.media(let playlist)) = outcome { media = playlist }
        let counts = SegmentCounts(media ?? MediaPlaylist())
        let target = media?.targetDurationSeconds.map { JSONValue.integer(Int64($0)) } ?? .null
        let isDerived = media?.isTargetDurationDerived ?? false
        return [
            member("segments", count(media?.segments.count ?? 0)),
            member("total_duration_seconds", media.map { seconds($0.durationMicroseconds) } ?? .null),
            member("target_duration_seconds", isDerived ? .null : target),
            member("derived_target_duration_seconds", isDerived ? target : .null),
            member("media_sequence", media.map { .unsigned($0.mediaSequence) } ?? .null),
            member("discontinuity_sequence", media?.discontinuitySequence.map(JSONValue.unsigned) ?? .null),
            member("discontinuities", count(counts.discontinuities)),
            member("end_list", media.map { .bool($0.isEnded) } ?? .null),
            member("playlist_type", (media?.type?.rawValue).map(JSONValue.string) ?? .null),
            member("keyed_segments", count(counts.keyed)),
            member("mapped_segments", count(counts.mapped)),
            member("byterange_segments", count(counts.byteRanges)),
            member("gaps", count(counts.gaps)),
            member("parts", count(counts.parts)),
        ]
    }

    private var ofMultivariant: [JSONValue.Member] {
        guard case .read(.multivariant(let playlist)) = outcome else {
            return [member("variants", 0), member("renditions", 0)]
        }
        return [
            member("variants", count(playlist.variants.count)),
            member("renditions", count(playlist.renditions.count)),
        ]
    }

    private func member(_ name: String, _ value: JSONValue) -> JSONValue.Member {
        JSONValue.Member(name: name, value: value)
    }

    private func count(_ number: Int) -> JSONValue {
        .integer(Int64(number))
    }

    private func seconds(_ microseconds: Int64) -> JSONValue {
        .number(Double(microseconds) / 1_000_000)
    }
}

extension DeviationNote {
    /// The note as an object; `tag` is null for a line that is not a tag.
    fileprivate var json: JSONValue {
        [
            "line": .integer(Int64(line)), "tag": tag.map { .string($0.rawValue) } ?? .null,
            "deviation": .string(deviation.rawValue), "count": .integer(Int64(count)),
        ]
    }
}
