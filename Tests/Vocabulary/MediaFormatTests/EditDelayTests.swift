import Testing

@testable import MediaFormat

/// Edit lists at the beginning of a file (ISO 14496-12 §8.6.6).
@Suite("The delay that all tracks have")
struct EditDelayTests {
    /// An edit list of these durations and media times, whose rate is 1.
    private func edits(_ entries: [(duration: UInt64, time: UInt64)], version: UInt8 = 0) -> [UInt8] {
        let width = version == 1 ? 8 : 4
        let rows = entries.flatMap { entry -> [UInt8] in
            MovieBuilder.number(entry.duration, width) + MovieBuilder.number(entry.time, width)
                + MovieBuilder.number(0x1_0000, 4)
        }
        let count = MovieBuilder.number(UInt64(entries.count), 4)
        return MovieBuilder.box("edts", MovieBuilder.fullBox("elst", version: version, count + rows))
    }

    private func section(_ tracks: [[UInt8]]) -> [UInt8] {
        let movie = tracks.flatMap { edits -> [UInt8] in
            MovieBuilder.box("trak", Array(MovieBuilder.videoTrack.dropFirst(8)) + edits)
        }
        let header = MovieBuilder.fullBox(
            "mvhd", version: 0, MovieBuilder.zeros(8) + MovieBuilder.number(1000, 4) + MovieBuilder.zeros(84))
        return MovieBuilder.box("ftyp", Array("iso5".utf8) + MovieBuilder.zeros(4))
            + MovieBuilder.box("moov", header + movie + MovieBuilder.defaults)
    }

    private let empty = UInt64.max

    @Test(arguments: [UInt8(0), 1])
    func goesFromAll(version: UInt8) throws {
        let delayed = section([
            edits([(100_000, empty), (0, 1024)], version: version),
            edits([(99_978, empty), (0, 0)], version: version),
        ])
        let (moved, delay) = InitSection.withoutDelay(delayed)
        #expect(delay == InitSection.Delay(duration: 99_978, timescale: 1000))
        let entry = version == 1 ? 20 : 12
        let free = MovieBuilder.box("free", MovieBuilder.zeros(entry - 8))
        let second = MovieBuilder.box(
            "edts",
            MovieBuilder.fullBox(
                "elst", version: version,
                MovieBuilder.number(1, 4) + MovieBuilder.zeros(entry - 4) + [0, 1, 0, 0]) + free)
        #expect(moved == section([edits([(22, empty), (0, 1024)], version: version), second]))
        #expect(moved.count == delayed.count)
        #expect(try InitSection.reading(moved) == InitSection.reading(delayed))
    }

    @Test
    func staysWhereATrackHasNone() {
        for other in [[], edits([(0, 1024)]), edits([(0, empty), (0, 0)])] {
            let bytes = section([edits([(100_000, empty), (0, 1024)]), other])
            #expect(InitSection.withoutDelay(bytes) == (bytes, nil))
        }
    }

    /// The list names more entries than it has, or is cut.
    @Test
    func staysWhereAListIsBroken() {
        var bytes = section([edits([(100_000, empty), (0, 1024)])])
        let count = bytes.indices.first { bytes[$0...].starts(with: Array("elst".utf8)) }! + 11
        bytes[count] = 0xFF
        #expect(InitSection.withoutDelay(bytes) == (bytes, nil))
        for length in 0..<bytes.count {
            let cut = Array(bytes.prefix(length))
            #expect(InitSection.withoutDelay(cut) == (cut, nil))
        }
    }

    @Test
    func goesWithItsOnlyEntry() {
        let (moved, delay) = InitSection.withoutDelay(section([edits([(5000, empty)])]))
        #expect(delay == InitSection.Delay(duration: 5000, timescale: 1000))
        #expect(InitSection.withoutDelay(moved) == (moved, nil))
        #expect(moved.count == section([edits([(5000, empty)])]).count)
    }
}
