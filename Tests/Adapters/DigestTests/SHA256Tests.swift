import Digest
import Encoding
import Testing

@Suite("SHA-256")
struct SHA256Tests {
    @Test(
        "The examples of FIPS 180-2, appendix B",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func examples(text: String, expected: String) throws {
        #expect(Hexadecimal.encode(try SHA256.digest(of: Array(text.utf8))) == expected)
    }

    @Test("Pieces give the digest of the whole: a million letters a")
    func pieces() throws {
        var digest = try SHA256()
        let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000)
        for number in 0..<1_000 {
            if number % 2 == 0 {
                try digest.update(piece)
            } else {
                try piece.withUnsafeBytes { try digest.update($0) }
            }
        }
        let expected = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        #expect(Hexadecimal.encode(try digest.finish()) == expected)
    }
}
