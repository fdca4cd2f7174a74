import Testing
import Timeline

struct ChannelIDTests {
    @Test(
        "Valid ids are accepted", arguments: ["a", "0", "cctv2", "a-b_c", String(repeating: "x", count: 63)])
    func slugs(text: String) {
        #expect(ChannelID(text)?.description == text)
    }

    @Test(
        "Invalid ids are refused",
        arguments: [
            "", "-a", "_a", "A", "a b", "a/b", "..", "a.b", "ä", "a\n", "a\0",
            String(repeating: "x", count: 64),
        ])
    func refused(text: String) {
        #expect(ChannelID(text) == nil)
    }
}
