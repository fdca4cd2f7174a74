import Foundation
import Testing
import Timeline

struct KeyFramesTests {
    private let found = KeyFrames(
        tableByteCount: 564,
        frames: [
            KeyFrame(offset: 564, byteCount: 48_128, milliseconds: 0),
            KeyFrame(offset: 1_000_000, byteCount: 188, milliseconds: 2000),
            KeyFrame(offset: 1_000_188, byteCount: Int(Int32.max), milliseconds: 4001),
        ])

    @Test("The form of the catalogue reads back, and is short")
    func packed() {
        #expect(KeyFrames(packed: found.packed[...]) == found)
        #expect(found.packed.count == 24)
    }

    @Test("Bytes that are cut off, have more behind them or count wrong are none")
    func damaged() {
        let bytes = found.packed
        for count in bytes.indices { #expect(KeyFrames(packed: bytes[..<count]) == nil) }
        #expect(KeyFrames(packed: (bytes + [0])[...]) == nil)
        #expect(KeyFrames(packed: [0, 255, 255, 255, 255, 127]) == nil)
        // Two frames at the same time.
        #expect(KeyFrames(packed: [0, 2, 0, 9, 0, 0, 9, 0]) == nil)
    }

    @Test("The form of the journal is a list of numbers; what does not follow is skipped")
    func journal() throws {
        let text = String(decoding: try JSONEncoder().encode(found), as: UTF8.self)
        #expect(text == "[564,564,48128,0,1000000,188,2000,1000188,2147483647,4001]")
        #expect(try JSONDecoder().decode(KeyFrames.self, from: Data(text.utf8)) == found)
        let odd = try JSONDecoder().decode(KeyFrames.self, from: Data("[0,10,5,0,12,5,7,20,5,9,1]".utf8))
        #expect(odd.frames.map(\.offset) == [10, 20])
    }
}
