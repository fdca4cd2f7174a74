import Testing

@testable import Digest

struct ConstantTimeEqualTests {
    @Test(
        "Secrets are equal when all bytes are equal",
        arguments: [([], []), ([1], [1]), ([1, 2, 3], [1, 2, 3])])
    func equality(one: [UInt8], other: [UInt8]) {
        #expect(constantTimeEqual(one, other))
        #expect(!constantTimeEqual(one, other + [0]))
        #expect(one.isEmpty || !constantTimeEqual(one, other.dropLast() + [9]))
    }
}
