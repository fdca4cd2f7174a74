/// Why bytes are not accepted as media.
package enum MediaFormatError: Error, Equatable, Sendable, CustomStringConvertible {
    case empty
    /// `excerpt` holds the first bytes, for the operator.
    case unrecognised(DetectedContent, excerpt: [UInt8])
    /// An initialization section with invalid boxes or without a usable moov.
    case invalidInitSection(Damage)
    case initSectionTooLong(byteCount: Int)

    package var description: String {
        switch self {
        case .empty: "the body is empty"
        case .unrecognised(let kind, _): "the body is not a media segment; it looks like \(kind.rawValue)"
        case .invalidInitSection(let damage): "the initialization section is damaged: \(damage)"
        case .initSectionTooLong(let count):
            "the initialization section has \(count) bytes, more than \(Limits.initSectionByteCount)"
        }
    }
}

/// What origins send instead of media.
package enum DetectedContent: String, Sendable {
    case html = "HTML"
    case xml = "XML"
    case json = "JSON"
    case playlist = "an HLS playlist"
    /// Compressed without Content-Encoding.
    case gzip = "gzip data"
    case text = "text"
    /// Also what encrypted media looks like.
    case binary = "unknown binary data"

    /// Classifies the first bytes of a body, at most `Limits.sniffByteCount` of them.
    init(_ bytes: [UInt8]) {
        let known: [(mark: String, kind: DetectedContent)] = [
            ("#extm3u", .playlist), ("<?xml", .xml), ("<", .html), ("{", .json), ("[", .json),
        ]
        let text = Self.start(bytes)
        if bytes.starts(with: [0x1F, 0x8B]) {
            self = .gzip
        } else if let found = known.first(where: { text.starts(with: $0.mark.utf8) }) {
            self = found.kind
        } else {
            self = Self.isText(bytes) ? .text : .binary
        }
    }

    /// The bytes after a byte order mark and white space, ASCII letters in lower case.
    private static func start(_ bytes: [UInt8]) -> [UInt8] {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        return text.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
            .map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }

    /// UTF-8 without control characters; in an excerpt the last character may be cut off.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }) else {
            return false
        }
        let cuts = bytes.count < Limits.sniffByteCount ? 0...0 : 0...3
        return cuts.contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
    }
}
