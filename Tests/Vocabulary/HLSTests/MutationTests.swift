import HLS
import TestSupport
import Testing

struct MutationTests {
    static let splices = [
        "18446744073709551615", "18446744073709551616", "-9223372036854775808", "-1", "0", "1e309", "NaN",
        "\"",
        "{$", "}", "=", ",", "\n", "\r", "#", "#EXTM3U\n", "@", ":", "\u{0}", "0x",
        "9999-99-99T99:99:99.999999999999+99:99",
        "#EXT-X-DEFINE:NAME=\"x\",VALUE=\"y\"\n", "{$x}", "#EXT-X-KEY:METHOD=NONE\n", "9223372036854775807@1",
        "\u{FEFF}",
    ].map { Array($0.utf8) }

    static func mutated(_ bytes: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
        var result = bytes
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let place = Int.random(in: 0...result.count, using: &generator)
            let end = min(result.count, place + Int.random(in: 0...12, using: &generator))
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: result.replaceSubrange(place..<end, with: [UInt8.random(in: 0...255, using: &generator)])
            case 1: result.replaceSubrange(place..<end, with: splices.randomElement(using: &generator) ?? [])
            case 2: result.removeSubrange(place..<end)
            default: result.insert(contentsOf: Array(result[place..<end]), at: place)
            }
        }
        return result
    }

    @Test(
        "Damaged playlists never trap, and what is read can be written and read again",
        arguments: [1, 2, 3] as [UInt64])
    func mutations(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for row in TagTable.rows {
            let bytes = row.playlist.writtenBytes()
            for _ in 0..<60 {
                let damaged = Self.mutated(bytes, using: &generator)
                guard let read = try? Playlist.reading(damaged) else { continue }
                #expect(read.notes.count <= Deviation.allCases.count * (PlaylistTag.allCases.count + 1))
                _ = try? Playlist.reading(read.playlist.writtenBytes())
            }
        }
    }

    @Test(
        "Reading and writing converge: from the second reading on nothing changes",
        arguments: [11, 12] as [UInt64])
    func settling(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for row in TagTable.rows {
            for _ in 0..<60 {
                let damaged = Self.mutated(row.playlist.writtenBytes(), using: &generator)
                guard let first = try? Playlist.reading(damaged).playlist,
                    let second = try? Playlist.reading(first.writtenBytes()).playlist,
                    let third = try? Playlist.reading(second.writtenBytes()).playlist
                else { continue }
                #expect(second == third, "seed \(seed): \(String(decoding: damaged, as: UTF8.self))")
            }
        }
    }

    @Test(
        "Inputs that once did not converge do",
        arguments: [
            "#EXTM3U\n#EXT-X-\u{13}\u{13}DATERANGE:ID=\"x\",START-DATE=Z\",DURATION=1\n",
            "#EXTM3U\n#EXT-X-PART:URI=\"p\"\n#EXT-X-\u{1}DATERANGE:ID=\"x\"\n#EXTINF:ART:URI=I=\"q\"",
        ])
    func onceUnsettled(text: String) throws {
        let first = try Playlist.reading(text).playlist
        #expect(try Playlist.reading(first.writtenBytes()).playlist == first)
    }
}
