import Digest
import Encoding
import Testing

@Suite("HMAC with SHA-256")
struct HMACSHA256Tests {
    private func code(_ text: String, key: [UInt8]) throws -> String {
        Hexadecimal.encode(try HMACSHA256.code(for: Array(text.utf8), key: key))
    }

    @Test("Test cases 1, 2 and 6 of RFC 4231")
    func examples() throws {
        #expect(
            try code("Hi There", key: [UInt8](repeating: 0x0b, count: 20))
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        #expect(
            try code("what do ya want for nothing?", key: Array("Jefe".utf8))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            try code(
                "Test Using Larger Than Block-Size Key - Hash Key First",
                key: [UInt8](repeating: 0xaa, count: 131))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test("An empty key is an empty key, not that of the call before")
    func emptyKey() throws {
        _ = try code("a", key: [1, 2, 3])
        #expect(try code("", key: []) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test("A code is valid for its message and key alone")
    func validity() throws {
        let code = try HMACSHA256.code(for: [1, 2], key: [3])
        #expect(try HMACSHA256.isValid(code, for: [1, 2], key: [3]))
        #expect(try !HMACSHA256.isValid(code, for: [1], key: [3]))
        #expect(try !HMACSHA256.isValid(code, for: [1, 2], key: [4]))
        #expect(try !HMACSHA256.isValid(Array(code.dropLast()), for: [1, 2], key: [3]))
        #expect(try !HMACSHA256.isValid([], for: [1, 2], key: [3]))
    }

    @Test(
        "Secrets are equal when all bytes are", arguments: [([], []), ([1], [1]), ([1, 2, 3], [1, 2, 3])])
    func equality(one: [UInt8], other: [UInt8]) {
        #expect(constantTimeEqual(one, other))
        #expect(!constantTimeEqual(one, other + [0]))
        #expect(one.isEmpty || !constantTimeEqual(one, other.dropLast() + [9]))
    }
}
