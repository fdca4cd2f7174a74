import Testing

@testable import Compression

@Suite("CRC-32")
struct CRC32Tests {
    @Test("The check value of the algorithm")
    func checkValue() {
        #expect(CRC32.checksum(Array("123456789".utf8)) == 0xcbf4_3926)
        #expect(CRC32.checksum([]) == 0)
    }

    @Test("Two pieces, in sequence or combined, give the checksum of the whole", arguments: 0...9)
    func pieces(cut: Int) {
        let whole = Array("123456789".utf8)
        let (head, tail) = (Array(whole.prefix(cut)), Array(whole.dropFirst(cut)))
        #expect(CRC32.checksum(tail, after: CRC32.checksum(head)) == 0xcbf4_3926)
        let appending = CRC32.Appending(byteCount: tail.count)
        #expect(appending.combined(CRC32.checksum(head), CRC32.checksum(tail)) == 0xcbf4_3926)
    }
}
