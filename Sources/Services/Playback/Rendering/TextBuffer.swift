import Encoding

/// The bytes of a playlist being written; an entry is written through a pointer, without a check per byte.
struct TextBuffer {
    private var storage: [UInt8]
    private(set) var count = 0

    init(capacity: Int) {
        storage = [UInt8](repeating: 0, count: max(64, capacity))
    }

    /// Returns everything written and ends the buffer's life.
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

    /// Appends microseconds as seconds, without needless zeros.
    mutating func append(seconds microseconds: UInt64) {
        unsafe write(atMost: 32) { unsafe $0.append(seconds: microseconds) }
    }

    /// Appends bytes; the closure must not write more than `atMost` bytes.
    @inline(__always)
    mutating func write(atMost byteCount: Int, _ body: (inout TextCursor) -> Void) {
        if storage.count - count < byteCount { grow(byteCount) }
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

    mutating func append(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        let target = unsafe UnsafeMutableBufferPointer(rebasing: buffer[position...])
        _ = unsafe target.update(fromContentsOf: bytes)
        unsafe position += bytes.count
    }

    mutating func append(_ text: StaticString) {
        let source = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        let target = unsafe UnsafeMutableBufferPointer(rebasing: buffer[position...])
        _ = unsafe target.update(fromContentsOf: source)
        unsafe position += source.count
    }

    /// Appends a number without leading zeros, at most 20 digits.
    mutating func append(decimal value: UInt64) {
        var (digits, bound) = (1, UInt64(10))
        while digits < 19, value >= bound {
            bound *= 10
            digits += 1
        }
        if digits == 19, value >= bound { digits = 20 }
        unsafe append(value, digits: digits)
    }

    /// Appends the last digits of a number, with leading zeros.
    mutating func append(_ value: UInt64, digits: Int) {
        var rest = value
        var index = unsafe position + digits
        let start = unsafe position
        // Divisions wait for each other, so each takes two digits.
        while index - start > 1 {
            let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
            let (ten, one) = pair.quotientAndRemainder(dividingBy: 10)
            unsafe buffer[index - 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: one)
            unsafe buffer[index - 2] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: ten)
            (rest, index) = (quotient, index - 2)
        }
        if index > start {
            unsafe buffer[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        }
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
