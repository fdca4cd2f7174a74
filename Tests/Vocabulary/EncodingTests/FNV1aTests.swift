import Encoding
import Testing

@Suite("FNV-1a")
struct FNV1aTests {
    @Test(
        "A text has the hash that the authors of the function list for it",
        arguments: [("", 0x811c_9dc5), ("a", 0xe40c_292c), ("foobar", 0xbf9c_f968)] as [(String, UInt32)])
    func known(text: String, hash: UInt32) {
        #expect(FNV1a.hash(text.utf8) == hash)
    }
}
