/// The file name of a stored segment, which is also the last part of its URL: `{start_ms}.{ext}`, from the
/// second version on `{start_ms}-{revision}.{ext}`.
///
/// The name says where in the archive the file lies.
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

    /// Nil when the text is no segment name in its one spelling.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let fileExtension = SegmentExtension(rawValue: String(parts[1])) else {
            return nil
        }
        let numbers = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count <= 2, let start = Int64(numbers[0]), (0..<100_000_000_000_000).contains(start)
        else {
            return nil
        }
        startMilliseconds = start
        revision = 0
        self.fileExtension = fileExtension
        if numbers.count == 2 {
            guard let number = Int16(numbers[1]), number > 0 else { return nil }
            revision = number
        }
        guard description == text else { return nil }
    }

    package var description: String {
        revision == 0
            ? "\(startMilliseconds).\(fileExtension.rawValue)"
            : "\(startMilliseconds)-\(revision).\(fileExtension.rawValue)"
    }

    /// Where the file lies below its rendition: `yyyy-mm-dd/hh/name`.
    package var path: String {
        let start = Instant(milliseconds: startMilliseconds)
        return "\(start.dateText)/\(start.hourText)/\(self)"
    }
}

/// The endings of stored segments; players refuse a segment whose ending does not fit its container.
package enum SegmentExtension: String, Sendable, Codable, CaseIterable {
    case transportStream = "ts"
    case fragmentedMP4 = "m4s"
    case aac
    case mp3
    case ac3
    case webVTT = "vtt"

    /// The media type it is served as.
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
