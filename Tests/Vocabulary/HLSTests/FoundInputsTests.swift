import Foundation
import HLS
import Testing

/// An input that fuzzing has found, from `Tests/fuzz/found`.
struct FoundInput: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]

    var testDescription: String { name }

    /// Every input of a target.
    static func all(_ target: String) -> [FoundInput] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folder = tests.appending(path: "fuzz/found/\(target)")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().compactMap { name in
            (try? Data(contentsOf: folder.appending(path: name))).map {
                FoundInput(name: name, bytes: Array($0))
            }
        }
    }
}

struct FoundInputsTests {
    @Test("There are inputs that fuzzing has found")
    func areThere() {
        let names = FoundInput.all("attributes").map(\.name)
        #expect(Set(names).isSuperset(of: ["blank-at-the-end", "blank-before-quote"]))
    }

    @Test(
        "Attributes that fuzzing has found read back as they were written",
        arguments: FoundInput.all("attributes"), ["SERVER-CONTROL", "KEY"])
    func attributes(input: FoundInput, tag: String) throws {
        let head = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-\(tag):"
        let text = Array(head.utf8) + input.bytes + Array("\n#EXTINF:4,\na.ts\n".utf8)
        // A key without METHOD is refused.
        if tag == "KEY", (try? Playlist.reading(text)) == nil { return }
        let first = try Playlist.reading(text).playlist
        #expect(try Playlist.reading(first.writtenBytes()).playlist == first)
    }
}
