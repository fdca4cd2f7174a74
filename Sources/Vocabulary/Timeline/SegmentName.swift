/// The file name of a stored segment and the last part of its URL: `{start_ms}.{ext}`, or
/// `{start_ms}-{revision}.{ext}` from the second version on.
///
/// The name determines where the file lies in the archive.
package struct SegmentName: Hashable, Sendable, CustomStringConvertible {
    /// Start in milliseconds since 1970, rounded down.
    package var startMilliseconds: Int64
    package var revision: Int16
    package var fileExtension: SegmentExtension

    package init(start: Instant, revision: Int16, fileExtension: SegmentExtension) {
        startMilliseconds = start.milliseconds
        self.revision = revision
        self.fileExtension = fileExtension
    }

    /// Nil if the text is not a segment name in canonical form.
    package init?(_ text: String) {
        // Each request for a segment is read here, so no part becomes a text of its own.
        let bytes = text.utf8Span.span
        var place = 0
        guard let start = bytes.decimal(at: &place, digits: 14) else { return nil }
        (startMilliseconds, revision) = (Int64(start), 0)
        if place < bytes.count, bytes[place] == UInt8(ascii: "-") {
            place += 1
            guard let number = bytes.decimal(at: &place, digits: 5).flatMap(Int16.init(exactly:)), number > 0
            else { return nil }
            revision = number
        }
        guard place < bytes.count, bytes[place] == UInt8(ascii: "."),
            let fileExtension = SegmentExtension(rawValue: String(Substring(text.utf8.dropFirst(place + 1))))
        else { return nil }
        self.fileExtension = fileExtension
    }

    package var description: String {
        revision == 0
            ? "\(startMilliseconds).\(fileExtension.rawValue)"
            : "\(startMilliseconds)-\(revision).\(fileExtension.rawValue)"
    }

    /// The path of the file below its rendition: `yyyy-mm-dd/hh/name`.
    package var path: String {
        let start = Instant(milliseconds: startMilliseconds)
        return "\(start.dateText)/\(start.hourText)/\(self)"
    }
}

/// File extensions of stored segments; players refuse a segment whose extension does not match its container.
package enum SegmentExtension: String, Sendable, Codable, CaseIterable {
    case transportStream = "ts"
    case fragmentedMP4 = "m4s"
    case aac
    case mp3
    case ac3
    case webVTT = "vtt"

    /// The media type of the response.
    package var mediaType: String {
        switch self {
        case .transportStream: "video/mp2t"
        case .fragmentedMP4: "video/iso.segment"
        case .aac: "audio/aac"
        case .mp3: "audio/mpeg"
        case .ac3: "audio/ac3"
        case .webVTT: "text/vtt; charset=utf-8"
        }
    }
}
