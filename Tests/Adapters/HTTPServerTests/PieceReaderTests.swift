import HTTP
import HTTPSupport
import Testing

@testable import HTTPServer

@Suite("Pieces of a body")
struct PieceReaderTests {
    @Test("small pieces are read together, as many as there is room for")
    func together() {
        let body = pattern(20 * 50)
        let reader = PieceReader((0..<20).map { SharedBytes(Array(body[$0 * 50..<$0 * 50 + 50])) })
        func read(at position: Int, _ room: Int) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: room)
            let count = bytes.withUnsafeMutableBytes { reader.read(at: position, into: $0) }
            return Array(bytes.prefix(count))
        }
        #expect(read(at: 0, 32_768) == body)
        #expect(read(at: 75, 200) == Array(body[75..<275]))
        #expect(read(at: 975, 200) == Array(body[975...]))
        #expect(read(at: 1_000, 200).isEmpty)
    }
}
