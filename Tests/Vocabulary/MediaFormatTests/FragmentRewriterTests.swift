import Testing

@testable import MediaFormat

@Suite struct FragmentRewriterTests {
    typealias Movie = MovieBuilder

    /// One fragment with a decode time of 32 bits, one of 64 bits and a base data offset.
    private static func segment(video: UInt64, audio: UInt64, offset: UInt64, index: String) -> [UInt8] {
        let narrow = Movie.box(
            "traf",
            Movie.fullBox("tfhd", flags: 0x2_0000, Movie.number(1, 4))
                + Movie.fullBox("tfdt", Movie.number(video, 4)) + Movie.run(50))
        let wide = Movie.box(
            "traf",
            Movie.fullBox("tfhd", flags: 1, Movie.number(2, 4) + Movie.number(offset, 8))
                + Movie.fullBox("tfdt", version: 1, Movie.number(audio, 8)) + Movie.run(94))
        return Movie.box("styp", Array("msdh".utf8)) + Movie.fullBox(index, Movie.zeros(20))
            + Movie.box("moof", Movie.fullBox("mfhd", Movie.number(1, 4)) + narrow + wide)
            + Movie.box("mdat", Movie.zeros(100))
    }

    private func rewrite(
        _ bytes: [UInt8], _ rewriter: inout FragmentRewriter, pieces: Int
    ) -> [UInt8] {
        var output: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            output += rewriter.append(Array(bytes[start..<min(start + pieces, bytes.count)]))
        }
        return output + rewriter.finish()
    }

    @Test(
        "Times move in their own width, and what describes the segment alone is free space",
        arguments: [1, 7, 10_000])
    func moves(pieces: Int) throws {
        let section = try InitSection.reading(Movie.initSection)
        var rewriter = FragmentRewriter(section, shifts: [1: -128_000, 2: 5], position: 1000)
        let before = Self.segment(video: 130_000, audio: 480_000, offset: 64, index: "sidx")
        let after = Self.segment(video: 2000, audio: 480_005, offset: 1064, index: "free")
        #expect(rewrite(before, &rewriter, pieces: pieces) == after)
        #expect(!rewriter.isOverflowing && rewriter.hasAllTracks)
        // 50 samples of 512 and 94 of 1024.
        #expect(
            rewriter.tracks == [
                .init(id: 1, timescale: 12800, first: 130_000, end: 155_600, isNarrow: true),
                .init(id: 2, timescale: 48000, first: 480_000, end: 576_256, isNarrow: false),
            ])
    }

    @Test("A time that does not fit in 32 bits is noticed")
    func overflow() throws {
        let section = try InitSection.reading(Movie.initSection)
        var rewriter = FragmentRewriter(section, shifts: [1: 1 << 32])
        _ = rewrite(
            Self.segment(video: 0, audio: 0, offset: 0, index: "free"), &rewriter, pieces: 1000)
        #expect(rewriter.isOverflowing)
    }

    @Test(
        "A segment that is cut or whose sizes do not add up keeps its length",
        arguments: 1...200)
    func cut(count: Int) throws {
        let section = try InitSection.reading(Movie.initSection)
        let bytes = Array(Self.segment(video: 9, audio: 9, offset: 0, index: "free").prefix(count))
        for damage in [bytes, bytes + [0, 0, 0, 3] + bytes] {
            var rewriter = FragmentRewriter(section)
            #expect(rewrite(damage, &rewriter, pieces: 13) == damage)
        }
    }

    /// A whole segment, one whose last box is open, one with a size of 64 bits, and one with a wrong size.
    private static let damaged: [[UInt8]] = {
        let whole = Self.segment(video: 9, audio: 9, offset: 0, index: "free")
        let start = Array(whole.dropLast(108))
        return [
            whole, start + [0, 0, 0, 0] + Array("mdat".utf8) + Movie.zeros(100),
            start + Movie.longBox("mdat", Movie.zeros(100)), whole + [0, 0, 0, 3] + Movie.zeros(20),
            start + [0, 0, 0, 1] + Array("mdat".utf8) + Movie.number(15, 8) + Movie.zeros(100),
        ]
    }()

    /// The types of boxes that follow each other without a byte between them; nil if that is not so.
    private static func types(_ bytes: [UInt8]) -> [String]? {
        var boxes = BoxSequence(ByteCursor(bytes))
        var types: [String] = []
        while let box = boxes.next() { types.append(box.type) }
        return boxes.invalidOffset == nil ? types : nil
    }

    @Test(
        "What follows a segment can be read wherever that is cut, and if its last box has no valid size",
        arguments: damaged)
    func following(bytes: [UInt8]) throws {
        let section = try InitSection.reading(Movie.initSection)
        let next = Self.segment(video: 9, audio: 9, offset: 0, index: "free")
        let following = ["styp", "free", "moof", "mdat"]
        for count in 8...bytes.count {
            for pieces in [13, 10_000] {
                var rewriter = FragmentRewriter(section, byteCount: UInt64(count))
                let moved = rewrite(Array(bytes.prefix(count)), &rewriter, pieces: pieces)
                try #require(moved.count == count)
                let types = try #require(Self.types(moved + next), "cut at \(count)")
                #expect(types.suffix(4).elementsEqual(following), "cut at \(count): \(types)")
                // A description of samples is there if it is whole.
                let isDescribed = rewriter.tracks.count == 2
                #expect(types.dropLast(4).contains("moof") == isDescribed, "cut at \(count): \(types)")
            }
        }
        // Seven bytes behind the last box are no box.
        for extra in 1...7 {
            var rewriter = FragmentRewriter(section, byteCount: UInt64(next.count + extra))
            let moved = rewrite(next + Movie.zeros(extra), &rewriter, pieces: 13)
            #expect(Self.types(moved + next) == following + following)
        }
    }

    @Test("A segment that is whole stays as it is if its length is known", arguments: [1, 7, 10_000])
    func known(pieces: Int) throws {
        let section = try InitSection.reading(Movie.initSection)
        let bytes = Self.segment(video: 9, audio: 9, offset: 0, index: "free")
        let long = Array(bytes.dropLast(108)) + Movie.longBox("mdat", Movie.zeros(100))
        for segment in [bytes, long] {
            var rewriter = FragmentRewriter(section, byteCount: UInt64(segment.count))
            #expect(rewrite(segment, &rewriter, pieces: pieces) == segment)
        }
    }
}
