import Testing

@testable import HLS

struct ByteCursorTests {
    @Test(
        "Whole numbers of 64 bits are read, others are nil",
        arguments: [
            ("0", UInt64(0)), ("007", 7), ("18446744073709551615", .max), ("18446744073709551616", nil),
            ("99999999999999999999999999", nil), ("", nil), ("-1", nil), ("1.5", nil), ("1x", nil),
        ] as [(String, UInt64?)])
    func wholeNumber(text: String, expected: UInt64?) {
        #expect(ByteCursor.unsigned(text) == expected)
    }

    @Test(
        "Decimal seconds become microseconds, rounded to the nearest",
        arguments: [
            ("6", 6_000_000), ("6.", 6_000_000), (".36", 360_000), ("+1.5", 1_500_000), ("-1.5", -1_500_000),
            ("0.0000004", 0), ("0.0000005", 1), ("0.9999999", 1_000_000),
            ("2.00533333333333333333", 2_005_333),
            ("8999999999999.999999", 8_999_999_999_999_999_999), ("9000000000000", nil), (".", nil),
            ("-", nil),
            ("", nil), ("1e3", nil), ("0x1", nil), ("nan", nil), ("1,5", nil), ("--1", nil),
        ] as [(String, Int64?)])
    func seconds(text: String, expected: Int64?) {
        #expect(ByteCursor.microseconds(text) == expected)
    }
}
