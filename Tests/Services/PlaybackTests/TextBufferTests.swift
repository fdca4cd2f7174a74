import Testing

@testable import Playback

struct TextBufferTests {
    /// Numbers where the count of digits changes, and what lies beside them.
    private static let edges: [UInt64] = {
        var values: [UInt64] = [0, 9_999_999_999_999_999_999, .max - 1, .max]
        var power: UInt64 = 1
        for _ in 0..<19 {
            power *= 10
            values += [power - 1, power, power + 1, power / 2, power / 10 * 7]
        }
        return values
    }()

    @Test("A number has its digits, and no other bytes")
    func decimals() {
        var generator = SystemRandomNumberGenerator()
        let random = (0..<20_000).map { _ in
            let shift = UInt64.random(in: 0..<64, using: &generator)
            return UInt64.random(in: 0...UInt64.max, using: &generator) >> shift
        }
        let numbers = Self.edges + random
        // What is written last must fit, too: the buffer is small at first.
        var buffer = TextBuffer(capacity: 0)
        for number in numbers { buffer.append(decimal: number) }
        #expect(buffer.finish() == numbers.flatMap { Array(String($0).utf8) })
    }

    /// Four digits are divided without regard to the others, so these are all cases there are.
    @Test("All numbers of four digits, as the first and as the last of eight")
    func fourDigits() {
        var buffer = TextBuffer(capacity: 0)
        var expected: [UInt8] = []
        for four in 0..<UInt64(10_000) {
            for number in [four, four * 10_000 + 9_999 - four] {
                buffer.append(decimal: number)
                expected += String(number).utf8
            }
        }
        #expect(buffer.finish() == expected)
    }

    @Test(
        "Microseconds are written as seconds without needless zeros",
        arguments: [
            (0, "0"), (1, "0.000001"), (10, "0.00001"), (999_999, "0.999999"), (1_000_000, "1"),
            (1_500_000, "1.5"), (12_345_678_000_010, "12345678.00001"),
            (UInt64.max, "18446744073709.551615"),
        ])
    func seconds(microseconds: UInt64, text: String) {
        var buffer = TextBuffer(capacity: 0)
        buffer.append(seconds: microseconds)
        #expect(String(decoding: buffer.finish(), as: UTF8.self) == text)
    }

    @Test("Bytes stand once more, also when the buffer had to grow in between")
    func again() {
        var buffer = TextBuffer(capacity: 0)
        let text = Array("v0/1469509516000.ts\n".utf8)
        buffer.append(text)
        for _ in 0..<1000 {
            unsafe buffer.write(atMost: text.count) { unsafe $0.appendAgain(0..<text.count) }
        }
        #expect(buffer.finish() == (0...1000).flatMap { _ in text })
    }
}
