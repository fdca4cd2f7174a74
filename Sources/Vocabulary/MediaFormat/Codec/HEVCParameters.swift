/// A sequence parameter set of HEVC (ITU-T H.265 §7.3.2.2).
enum HEVCParameters {
    /// Reads a unit of type 33 with its two header bytes.
    static func read(_ unit: ArraySlice<UInt8>) -> CodecParameters? {
        var reader = BitReader(escaped: unit.dropFirst(2))
        guard reader.skip(4), let subLayers = reader.bits(3), reader.skip(1) else { return nil }
        var general: [UInt8] = []
        for _ in 0..<12 {
            guard let byte = reader.bits(8) else { return nil }
            general.append(UInt8(truncatingIfNeeded: byte))
        }
        guard let string = codecString(general, entry: "hvc1") else { return nil }
        return CodecParameters(codecString: string, resolution: resolution(Int(subLayers), &reader))
    }

    /// The codec string of the 12 bytes of a general profile, tier and level (ISO 14496-15 annex E).
    static func codecString(_ general: [UInt8], entry: String) -> String? {
        guard general.count == 12 else { return nil }
        let space = ["", "A", "B", "C"][Int(general[0] >> 6)]
        let tier = general[0] & 0x20 == 0 ? "L" : "H"
        // The 32 compatibility flags are written in reverse bit order.
        let flags = general[1...4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1.reversedBits) }
        var constraints = Array(general[5...10])
        while constraints.last == 0 { constraints.removeLast() }
        let head = "\(entry).\(space)\(general[0] & 0x1F).\(String(flags, radix: 16)).\(tier)\(general[11])"
        return constraints.reduce(head) { $0 + "." + String($1, radix: 16) }
    }

    private static func resolution(_ subLayers: Int, _ reader: inout BitReader) -> Resolution? {
        guard skipSubLayers(subLayers, &reader), reader.unsigned() != nil, let chroma = reader.unsigned(),
            chroma <= 3
        else { return nil }
        var unit = (width: chroma == 1 || chroma == 2 ? 2 : 1, height: chroma == 1 ? 2 : 1)
        if chroma == 3 {
            guard let separate = reader.bit() else { return nil }
            if separate { unit = (1, 1) }
        }
        guard let width = reader.unsigned(), let height = reader.unsigned(), let isCropped = reader.bit()
        else { return nil }
        let crop = isCropped ? Crop(&reader) : Crop()
        return crop?.applied(width: Int(width), height: Int(height), unit.width, unit.height)
    }

    /// Profile (88 bits) and level (8) of the lower layers, where present (§7.3.3).
    private static func skipSubLayers(_ count: Int, _ reader: inout BitReader) -> Bool {
        guard count > 0 else { return true }
        var bitCount = 0
        for layer in 0..<8 {
            guard let hasProfile = reader.bit(), let hasLevel = reader.bit() else { return false }
            if layer < count { bitCount += (hasProfile ? 88 : 0) + (hasLevel ? 8 : 0) }
        }
        return reader.skip(bitCount)
    }
}

extension UInt8 {
    var reversedBits: UInt8 {
        (0..<8).reduce(0) { $0 << 1 | self >> UInt8($1) & 1 }
    }
}
