import Digest
import Testing

@Suite("Random bytes")
struct RandomBytesTests {
    @Test("The requested number of bytes, never the same")
    func difference() throws {
        #expect(try randomBytes(0) == [])
        let values = Set(try (0..<100).map { _ in try randomBytes(16) })
        #expect(values.count == 100)
        #expect(values.allSatisfy { $0.count == 16 })
    }

    @Test("Counts beyond the bounds are refused", arguments: [-1, 1 << 20])
    func bounds(count: Int) {
        #expect(throws: DigestError.tooLarge(count)) { try randomBytes(count) }
    }
}
