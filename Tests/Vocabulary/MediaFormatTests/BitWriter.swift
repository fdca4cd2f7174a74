/// Writes the bits of parameter sets.
struct BitWriter {
    private var bits: [Bool] = []

    mutating func put(_ value: UInt64, _ count: Int) {
        for shift in (0..<count).reversed() { bits.append(value >> UInt64(shift) & 1 == 1) }
    }

    /// An unsigned value, ue(v).
    mutating func unsigned(_ value: UInt64) {
        let width = 64 - (value + 1).leadingZeroBitCount
        put(0, width - 1)
        put(value + 1, width)
    }

    /// The bytes with a stop bit at the end and emulation prevention bytes.
    var escapedBytes: [UInt8] {
        var padded = bits + [true]
        while padded.count % 8 != 0 { padded.append(false) }
        var bytes: [UInt8] = []
        var zeros = 0
        for start in stride(from: 0, to: padded.count, by: 8) {
            let byte = padded[start..<(start + 8)].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
            if zeros >= 2 && byte <= 3 {
                bytes.append(3)
                zeros = 0
            }
            zeros = byte == 0 ? zeros + 1 : 0
            bytes.append(byte)
        }
        return bytes
    }
}

/// Sequence parameter sets written field by field, without the unit's header byte.
enum H264Bits {
    static let high720 = make(profile: 100, level: 31, columns: 80, rows: 45, framesOnly: true, cropBottom: 0)

    /// Profile 100 has the chroma fields, 66 has not.
    static func make(
        profile: UInt64, level: UInt64, columns: UInt64, rows: UInt64, framesOnly: Bool, cropBottom: UInt64,
    ) -> [UInt8] {
        var writer = BitWriter()
        writer.put(profile, 8)
        writer.put(0, 8)
        writer.put(level, 8)
        writer.unsigned(0)  // set
        if profile == 100 {
            for value in [1, 0, 0] as [UInt64] { writer.unsigned(value) }  // 4:2:0, 8 bits
            writer.put(0, 2)
        }
        writer.unsigned(0)  // frame numbers
        writer.unsigned(2)  // order of pictures
        writer.unsigned(4)  // reference frames
        writer.put(0, 1)
        writer.unsigned(columns - 1)
        writer.unsigned((framesOnly ? rows : rows / 2) - 1)
        writer.put(framesOnly ? 1 : 0, 1)
        if !framesOnly { writer.put(0, 1) }
        writer.put(1, 1)  // direct inference
        writer.put(cropBottom > 0 ? 1 : 0, 1)
        if cropBottom > 0 { for value in [0, 0, 0, cropBottom] { writer.unsigned(value) } }
        writer.put(0, 1)
        return writer.escapedBytes
    }
}
