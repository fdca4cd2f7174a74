@testable import MediaFormat

/// Fragmented MP4: a byte for the pieces, two with the length of the initialization section, both bodies.
func examine(_ input: [UInt8]) {
    guard input.count >= 3 else { return }
    let length = min(Int(input[1]) << 8 | Int(input[2]), input.count - 3)
    let initSection = try? InitSection.reading(Array(input[3..<3 + length]))
    let body = Array(input[(3 + length)...])
    inspect(body, pieces: input[0], with: FragmentedMP4Inspector(initSection: initSection))
    inspectAny(body, pieces: input[0], initSection: initSection)
}
