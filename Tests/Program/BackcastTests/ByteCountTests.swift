import Testing

@testable import Backcast

@Suite("Numbers of bytes")
struct ByteCountTests {
    @Test(
        "units are decimal without i and binary with it",
        arguments: [
            ("0", 0), ("1048576", 1_048_576), ("5K", 5000), ("5Ki", 5120), ("3M", 3_000_000),
            ("3MiB", 3 << 20), ("2G", 2_000_000_000), ("2Gi", 2 << 30), ("2 GiB", 2 << 30),
            ("1t", 1_000_000_000_000),
            ("1Ti", 1 << 40), ("7B", 7),
        ])
    func readable(text: String, bytes: Int64) {
        #expect(ByteCount.reading(text) == bytes)
    }

    @Test(
        "any other text than a number of bytes is refused",
        arguments: [
            "", "G", "-1", "1.5G", "1P", "1Gib2", "1iG", "9223372036854775808", "9223372036854775807K", "5%",
            "١K",
        ])
    func refused(text: String) {
        #expect(ByteCount.reading(text) == nil)
    }
}
