/// Compresses short texts to raw deflate (RFC 1951) with fixed codes.
///
/// zlib clears and builds tables for each input, which costs more than a short text itself: a few lines of a
/// playlist take a tenth of the time here, and become a little larger.
package enum SmallDeflate {
    /// A separate piece: it ends on a byte as after a full flush, and refers to nothing before it.
    ///
    /// For inputs of a few kilobytes; larger ones become much smaller with zlib.
    package static func compressing(_ plain: [UInt8]) -> [UInt8] {
        guard !plain.isEmpty else { return [] }
        // No code of a literal is longer than nine bits; what is around the block takes less than ten bytes.
        let room = plain.count + plain.count / 8 + 16
        return unsafe [UInt8](unsafeUninitializedCapacity: room) { output, count in
            unsafe withUnsafeTemporaryAllocation(of: UInt16.self, capacity: HashTable.count) { table in
                unsafe table.initialize(repeating: 0)
                unsafe plain.withUnsafeBytes { plain in
                    var writer = unsafe BitWriter(output)
                    unsafe write(plain, &writer, table)
                    count = unsafe writer.finish()
                }
            }
        }
    }

    /// The longest distance, which is also as far as positions are counted.
    private static let longestDistance = 1 << 15

    @unsafe private static func write(
        _ plain: UnsafeRawBufferPointer, _ writer: inout BitWriter,
        _ table: UnsafeMutableBufferPointer<UInt16>,
    ) {
        // A block with fixed codes that is not the last one (§3.2.3).
        unsafe writer.append(0b010, count: 3)
        let (literals, lengths) = (FixedCodes.literals, FixedCodes.lengths)
        var position = 0
        while position + 4 <= plain.count {
            let word = unsafe plain.loadUnaligned(fromByteOffset: position, as: UInt32.self)
            let slot = HashTable.slot(word)
            let candidate = unsafe position & ~(longestDistance - 1) | Int(table[slot])
            unsafe table[slot] = UInt16(truncatingIfNeeded: position & (longestDistance - 1))
            guard candidate < position,
                unsafe plain.loadUnaligned(fromByteOffset: candidate, as: UInt32.self) == word
            else {
                unsafe writer.append(literals[Int(plain[position])])
                position += 1
                continue
            }
            let longest = min(258, plain.count - position)
            var length = 4
            while length < longest, unsafe plain[candidate + length] == plain[position + length] {
                length += 1
            }
            unsafe writer.append(lengths[length])
            unsafe writer.append(FixedCodes.distance(position - candidate))
            for place in (position + 1)..<(position + length) where place + 4 <= plain.count {
                let word = unsafe plain.loadUnaligned(fromByteOffset: place, as: UInt32.self)
                unsafe table[HashTable.slot(word)] = UInt16(
                    truncatingIfNeeded: place & (longestDistance - 1))
            }
            position += length
        }
        while position < plain.count {
            unsafe writer.append(literals[Int(plain[position])])
            position += 1
        }
        // The end of the block.
        unsafe writer.append(0, count: 7)
    }

    /// Where words of four bytes were seen last.
    private enum HashTable {
        private static let bits: UInt32 = 10
        static let count = 1 << Int(bits)

        static func slot(_ word: UInt32) -> Int {
            Int((word &* 2_654_435_761) >> (32 - bits))
        }
    }
}

/// The fixed codes (RFC 1951 §3.2.6), as they are written: from the lowest bit on.
private enum FixedCodes {
    struct Code {
        var bits: UInt32
        var count: UInt32

        init(_ bits: UInt32, count: UInt32) {
            (self.bits, self.count) = (bits, count)
        }

        /// A Huffman code begins with its highest bit.
        init(reversed code: UInt32, count: UInt32) {
            var bits: UInt32 = 0
            for place in 0..<count where code >> place & 1 == 1 { bits |= 1 << (count - 1 - place) }
            self.init(bits, count: count)
        }

        func followed(by other: Code) -> Code {
            Code(bits | other.bits << count, count: count + other.count)
        }
    }

    private static func symbol(_ symbol: UInt32) -> Code {
        switch symbol {
        case 0...143: Code(reversed: 0x30 + symbol, count: 8)
        case 144...255: Code(reversed: 0x190 + symbol - 144, count: 9)
        case 256...279: Code(reversed: symbol - 256, count: 7)
        default: Code(reversed: 0xC0 + symbol - 280, count: 8)
        }
    }

    /// By the byte.
    static let literals: [Code] = (0..<256).map { symbol($0) }

    /// By the length, with its extra bits (§3.2.5); none is below three.
    static let lengths: [Code] = {
        var codes = Array(repeating: Code(0, count: 0), count: 3)
        for length: UInt32 in 3..<258 {
            let offset = length - 3
            // Four symbols have the same number of extra bits; the first eight have none.
            let extra = offset < 8 ? 0 : 29 - UInt32(offset.leadingZeroBitCount)
            let code = offset < 8 ? 257 + offset : 257 + 4 * extra + offset >> extra
            codes.append(symbol(code).followed(by: Code(offset & (1 << extra - 1), count: extra)))
        }
        return codes + [symbol(285)]
    }()

    /// The code of a distance, from 1 on, with its extra bits.
    @inline(__always)
    static func distance(_ distance: Int) -> Code {
        let offset = UInt32(truncatingIfNeeded: distance - 1)
        guard offset >= 4 else { return reversed[Int(offset)] }
        // Two symbols have the same number of extra bits.
        let extra = 30 - UInt32(offset.leadingZeroBitCount)
        let code = reversed[Int(2 * extra + offset >> extra)]
        return code.followed(by: Code(offset & (1 << extra - 1), count: extra))
    }

    /// Distances have five bits.
    private static let reversed: [Code] = (0..<32).map { Code(reversed: $0, count: 5) }
}

/// Bits into a buffer with enough room, from the lowest bit of each byte on.
@unsafe private struct BitWriter {
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private var position = 0
    private var bits: UInt64 = 0
    private var count: UInt32 = 0

    init(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        unsafe self.buffer = unsafe buffer
    }

    @inline(__always)
    mutating func append(_ code: FixedCodes.Code) {
        unsafe append(code.bits, count: code.count)
    }

    @inline(__always)
    mutating func append(_ value: UInt32, count added: UInt32) {
        unsafe bits |= UInt64(value) << UInt64(count)
        unsafe count += added
        while unsafe count >= 8 { unsafe appendByte() }
    }

    /// An empty stored block ends the piece on a byte (§3.2.4); the number of bytes.
    mutating func finish() -> Int {
        unsafe append(0, count: 3)
        if unsafe count > 0 { unsafe append(0, count: 8 - count) }
        for byte: UInt32 in [0, 0, 0xFF, 0xFF] { unsafe append(byte, count: 8) }
        return unsafe position
    }

    @inline(__always)
    private mutating func appendByte() {
        unsafe buffer[position] = unsafe UInt8(truncatingIfNeeded: bits)
        unsafe position += 1
        unsafe bits >>= 8
        unsafe count -= 8
    }
}
