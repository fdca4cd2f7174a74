@testable import MediaFormat

/// Packed audio: a byte for the pieces, then ID3 tags and ADTS, MPEG or AC-3 frames.
func examine(_ input: [UInt8]) {
    guard let pieces = input.first else { return }
    let body = Array(input.dropFirst())
    inspect(body, pieces: pieces, with: PackedAudioInspector(kind: .aac))
    inspectAny(body, pieces: pieces, initSection: nil)
}
