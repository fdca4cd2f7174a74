import Encoding

/// The bytes of a playlist being written; an entry is written through a pointer, without a check per byte.
struct TextBuffer {
    private var storage: [UInt8]
    private(set) var count = 0

    init(capacity: Int) {
        storage = [UInt8](repeating: 0, count: max(64, capacity))
    }

    /// Returns everything written and consumes the buffer.
    consuming func finish() -> [UInt8] {
        Array(storage[..<count])
    }

    /// Returns what was written since the last call and empties the buffer.
    mutating func take() -> [UInt8] {
        defer { count = 0 }
        return Array(storage[..<count])
    }

    mutating func append(_ bytes: [UInt8]) {
        unsafe write(atMost: bytes.count) { unsafe $0.append(bytes) }
    }

    mutating func append(_ bytes: ArraySlice<UInt8>) {
        append(Array(bytes))
    }

    mutating func append(_ text: StaticString) {
        unsafe write(atMost: text.utf8CodeUnitCount) { unsafe $0.append(text) }
    }

    /// Appends a number without leading zeros.
    mutating func append(decimal value: UInt64) {
        unsafe write(atMost: 20) { unsafe $0.append(decimal: value) }
    }

    /// Appends the last digits of a number of at most eight, with leading zeros.
    mutating func append(_ value: UInt64, digits: Int) {
        unsafe write(atMost: 8) { unsafe $0.append(value, digits: digits) }
    }

    /// Appends microseconds as seconds, without needless zeros.
    mutating func append(seconds microseconds: UInt64) {
        unsafe write(atMost: 32) { unsafe $0.append(seconds: microseconds) }
    }

    /// Appends bytes; the closure must not write more than `atMost` bytes.
    @inline(__always)
    mutating func write(atMost byteCount: Int, _ body: (inout TextCursor) -> Void) {
        // Digits are stored eight at a time, and what follows takes the place of the last ones.
        let room = byteCount + 8
        if storage.count - count < room { grow(room) }
        let start = count
        count = unsafe storage.withUnsafeMutableBufferPointer { buffer in
            var cursor = unsafe TextCursor(buffer, at: start)
            unsafe body(&cursor)
            return unsafe cursor.position
        }
    }

    private mutating func grow(_ byteCount: Int) {
        storage.append(contentsOf: repeatElement(0, count: max(byteCount, storage.count)))
    }
}

/// A position in a buffer with enough room for what is written.
@unsafe struct TextCursor {
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private(set) var position: Int

    init(_ buffer: UnsafeMutableBufferPointer<UInt8>, at position: Int) {
        unsafe self.buffer = unsafe buffer
        unsafe self.position = position
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        unsafe buffer[position] = byte
        unsafe position += 1
    }

    @inline(__always)
    mutating func append(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe append($0) }
    }

    /// The compiler knows the length of a literal, so no function call is needed.
    @inline(__always)
    mutating func append(_ text: StaticString) {
        unsafe append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends bytes that stand before the position once more.
    @inline(__always)
    mutating func appendAgain(_ range: Range<Int>) {
        unsafe append(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[range]))
    }

    @inline(__always)
    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        let all = unsafe UnsafeMutableRawBufferPointer(buffer)
        unsafe UnsafeMutableRawBufferPointer(rebasing: all[position...]).copyMemory(from: bytes)
        unsafe position += bytes.count
    }

    /// Appends a number without leading zeros, at most 20 digits.
    @inline(__always)
    mutating func append(decimal value: UInt64) {
        if value < 10 {
            unsafe append(UInt8(ascii: "0") + UInt8(value))
        } else if value < 100_000_000 {
            let text = EightDigits.text(value)
            unsafe append(text: text, digits: EightDigits.count(in: text))
        } else {
            unsafe append(long: value)
        }
    }

    private mutating func append(long value: UInt64) {
        let (high, low) = value.quotientAndRemainder(dividingBy: 100_000_000)
        unsafe append(decimal: high)
        unsafe append(low, digits: 8)
    }

    /// Appends the last digits of a number of at most eight, with leading zeros.
    @inline(__always)
    mutating func append(_ value: UInt64, digits: Int) {
        unsafe append(text: EightDigits.text(value), digits: digits)
    }

    /// Appends the last of eight digits.
    @inline(__always)
    private mutating func append(text: UInt64, digits: Int) {
        let last = text >> UInt64(64 - 8 * digits)
        unsafe UnsafeMutableRawBufferPointer(buffer).storeBytes(
            of: last.littleEndian, toByteOffset: position, as: UInt64.self)
        unsafe position += digits
    }

    /// Appends microseconds as seconds, without needless zeros.
    mutating func append(seconds microseconds: UInt64) {
        unsafe append(decimal: microseconds / 1_000_000)
        var (fraction, digits) = (microseconds % 1_000_000, 6)
        guard fraction > 0 else { return }
        while fraction % 10 == 0 { (fraction, digits) = (fraction / 10, digits - 1) }
        unsafe append(UInt8(ascii: "."))
        unsafe append(fraction, digits: digits)
    }

    /// Appends bytes as hexadecimal digits.
    mutating func append(hexadecimal bytes: [UInt8]) {
        for byte in bytes {
            unsafe append(Hexadecimal.digit(byte >> 4, uppercase: true))
            unsafe append(Hexadecimal.digit(byte & 15, uppercase: true))
        }
    }
}
