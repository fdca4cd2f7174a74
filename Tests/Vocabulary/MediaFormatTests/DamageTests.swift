import MediaFormat
import Testing

struct DamageTests {
    @Test(
        "AES-128 bodies are whole blocks, at least one",
        arguments: [
            (0, false), (1, false), (15, false), (16, true), (17, false), (188 * 16, true), (-16, false),
        ])
    func encrypted(count: Int, isWhole: Bool) {
        let found = EncryptedBody.check(byteCount: count)
        #expect(found == (isWhole ? .whole : .damaged(.notBlockAligned(byteCount: count))))
    }
}
