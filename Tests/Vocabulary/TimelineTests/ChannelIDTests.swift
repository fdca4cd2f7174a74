import Testing
import Timeline

struct ChannelIDTests {
    @Test("A slug is an id", arguments: ["a", "0", "cctv2", "a-b_c", String(repeating: "x", count: 63)])
    func slugs(text: String) {
        #expect(ChannelID(text)?.description == text)
    }

    @Test(
        "Anything else is none",
        arguments: [
            "", "-a", "_a", "A", "a b", "a/b", "..", "a.b", "ä", "a\n", "a\0",
            String(repeating: "x", count: 64),
        ])
    func refused(text: String) {
        #expect(ChannelID(text) == nil)
    }
}
