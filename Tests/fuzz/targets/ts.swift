@testable import MediaFormat

/// A transport stream: a byte for the pieces, a byte for the packets of an initialization section, the body.
func examine(_ input: [UInt8]) {
    guard input.count >= 2 else { return }
    let head = min(Int(input[1] % 4) * TransportPacket.byteCount, input.count - 2)
    let initSection = try? InitSection.reading(Array(input[2..<2 + head]))
    let body = Array(input[(2 + head)...])
    inspect(body, pieces: input[0], with: TransportStreamInspector(behind: initSection))
    inspectAny(body, pieces: input[0], initSection: initSection)
}
