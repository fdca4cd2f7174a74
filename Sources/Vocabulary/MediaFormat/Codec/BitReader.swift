/// Reads the bits of a parameter set, most significant first; a read beyond the end gives nil.
struct BitReader {
    private let bytes: [UInt8]
    private var position = 0

    /// Reads a unit's bytes without the emulation prevention bytes (ITU-T H.264 §7.4.1).
    init(escaped unit: ArraySlice<UInt8>) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(unit.count)
        var zeros = 0
        for byte in unit {
            if zeros >= 2 && byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            bytes.append(byte)
        }
        self.bytes = bytes
    }

    mutating func bit() -> Bool? {
        guard position < bytes.count * 8 else { return nil }
        defer { position += 1 }
        return bytes[position >> 3] >> UInt8(7 - position & 7) & 1 == 1
    }

    /// At most 32 bits.
    mutating func bits(_ count: Int) -> UInt32? {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let bit = bit() else { return nil }
            value = value << 1 | (bit ? 1 : 0)
        }
        return value
    }

    @discardableResult
    mutating func skip(_ count: Int) -> Bool {
        guard count <= bytes.count * 8 - position else { return false }
        position += count
        return true
    }

    /// ue(v), a value below 2³² − 1 (ITU-T H.264 §9.1).
    mutating func unsigned() -> UInt32? {
        var zeros = 0
        while let bit = bit(), !bit {
            zeros += 1
            if zeros > 31 { return nil }
        }
        return bits(zeros).map { (1 << UInt32(zeros)) - 1 + $0 }
    }

    /// A signed value, se(v).
    mutating func signed() -> Int32? {
        unsigned().map { $0 % 2 == 0 ? -Int32($0 / 2) : Int32($0 / 2) + 1 }
    }
}
