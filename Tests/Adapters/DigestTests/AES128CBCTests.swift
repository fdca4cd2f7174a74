import Digest
import Encoding
import Testing

@Suite("AES-128-CBC")
struct AES128CBCTests {
    private let key = bytes("2b7e151628aed2a6abf7158809cf4f3c")
    private let iv = bytes("000102030405060708090a0b0c0d0e0f")

    private func transform(
        _ direction: AES128CBC.Direction, _ bytes: [UInt8], pieces: Int = 1_000_000
    ) throws -> [UInt8] {
        var cipher = try AES128CBC(direction, key: key, iv: iv)
        var (output, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes[...])
        while !rest.isEmpty {
            output += try cipher.update(Array(rest.prefix(pieces)))
            rest = rest.dropFirst(pieces)
        }
        return output + (try cipher.finish())
    }

    @Test("The first two blocks of NIST SP 800-38A, F.2.1")
    func example() throws {
        let plain = bytes("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
        let encrypted = try transform(.encrypt, plain)
        #expect(encrypted.count == 48)
        #expect(
            Hexadecimal.encode(encrypted.prefix(32))
                == "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2")
    }

    @Test(
        "Decrypting undoes encrypting, in pieces of any size", arguments: [0, 1, 15, 16, 17, 188, 4_096],
        [1, 7, 16, 1_000])
    func inverse(count: Int, pieces: Int) throws {
        let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let encrypted = try transform(.encrypt, plain, pieces: pieces)
        #expect(encrypted.count == (count / 16 + 1) * 16)
        #expect(try transform(.decrypt, encrypted, pieces: pieces) == plain)
    }

    @Test("More than one chunk at once")
    func large() throws {
        let plain = [UInt8](repeating: 7, count: 3_000_001)
        #expect(try transform(.decrypt, try transform(.encrypt, plain, pieces: .max), pieces: .max) == plain)
    }

    // 0x77 is no padding's length (RFC 5652, 6.3: 1 to 16), so a cut at any block is seen.
    @Test("Missing bytes are detected by the padding")
    func corruption() throws {
        let encrypted = try transform(.encrypt, [UInt8](repeating: 0x77, count: 32))
        #expect(throws: DigestError.corrupt) { try transform(.decrypt, Array(encrypted.dropLast())) }
        #expect(throws: DigestError.corrupt) { try transform(.decrypt, Array(encrypted.dropLast(16))) }
        #expect(throws: DigestError.corrupt) { try transform(.decrypt, []) }
    }

    @Test("A key or vector of another length is refused", arguments: [0, 15, 17, 32])
    func lengths(count: Int) {
        let wrong = [UInt8](repeating: 0, count: count)
        #expect(throws: DigestError.wrongKeyLength(count)) { _ = try AES128CBC(.decrypt, key: wrong, iv: iv) }
        #expect(throws: DigestError.wrongKeyLength(count)) {
            _ = try AES128CBC(.decrypt, key: key, iv: wrong)
        }
    }
}

/// The bytes that hexadecimal digits stand for.
private func bytes(_ digits: String) -> [UInt8] {
    let values = digits.utf8.compactMap(Hexadecimal.value)
    return stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] }
}
