import Testing
import Timeline

struct RenditionIDTests {
    @Test("An id is a letter and a number", arguments: ["v0", "a12", "s999"])
    func ids(text: String) {
        #expect(RenditionID(text)?.description == text)
    }

    @Test(
        "It has one spelling",
        arguments: ["", "v", "x0", "V0", "v01", "v1000", "v-1", "v+1", "v0 ", "0v", "v٣"])
    func refused(text: String) {
        #expect(RenditionID(text) == nil)
    }

    @Test("Renditions are ordered video, audio, subtitles, and each by number")
    func order() {
        let sorted = ["s0", "a10", "v10", "a2", "v2"].compactMap(RenditionID.init).sorted().map(\.description)
        #expect(sorted == ["v2", "v10", "a2", "a10", "s0"])
    }
}
