@testable import MediaFormat

/// WebVTT: a byte for the pieces, then a segment, once by itself and once behind a header of its own.
func examine(_ input: [UInt8]) {
    guard let pieces = input.first else { return }
    let body = Array(input.dropFirst())
    inspectAny(body, pieces: pieces, initSection: nil)
    inspectAny(body, pieces: pieces, initSection: try? InitSection.reading(Array("WEBVTT\n\n".utf8)))
    _ = try? InitSection.reading(body)
}
