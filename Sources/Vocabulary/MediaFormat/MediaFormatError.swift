/// Why bytes are no media this module knows.
package enum MediaFormatError: Error, Equatable, Sendable, CustomStringConvertible {
    case empty
    /// `excerpt` holds the first bytes, for the operator.
    case unrecognised(Lookalike, excerpt: [UInt8])
    /// An initialization section whose boxes do not fit together or that has no usable moov.
    case invalidInitSection(Damage)
    case initSectionTooLong(byteCount: Int)

    package var description: String {
        switch self {
        case .empty: "the body is empty"
        case .unrecognised(let kind, _): "the body is no media segment; it looks like \(kind.rawValue)"
        case .invalidInitSection(let damage): "the initialization section is damaged: \(damage)"
        case .initSectionTooLong(let count):
            "the initialization section has \(count) bytes, more than \(Limits.initSectionByteCount)"
        }
    }
}

/// What origins send in the place of media.
package enum Lookalike: String, Sendable {
    case html = "HTML"
    case xml = "XML"
    case json = "JSON"
    case playlist = "an HLS playlist"
    /// Compressed without saying so.
    case gzip = "gzip data"
    case text = "text"
    /// Encrypted media look like this, too.
    case binary = "unknown binary data"

    init(_ bytes: [UInt8]) {
        let mark: [UInt8] = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        let text = mark.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }.map {
            (0x41...0x5A).contains($0) ? $0 | 0x20 : $0
        }
        self =
            if bytes.starts(with: [0x1F, 0x8B]) { .gzip } else if text.starts(with: "#extm3u".utf8) {
                .playlist
            } else if text.starts(with: "<?xml".utf8) { .xml } else if text.starts(with: "<".utf8) {
                .html
            } else if text.starts(with: "{".utf8) || text.starts(with: "[".utf8) {
                .json
            } else if Self.isText(bytes) { .text } else { .binary }
    }

    private static func isText(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
    }
}
