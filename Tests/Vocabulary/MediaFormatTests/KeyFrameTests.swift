import MediaFormat
import Testing
import Timeline

/// Where the key frames of a segment lie.
struct KeyFrameTests {
    typealias Builder = TransportStreamBuilder

    /// Tables of one video stream of a type.
    private func builder(_ type: UInt8 = 0x1B) -> Builder {
        var builder = Builder()
        builder.addTables([(type, 0x100), (0x0F, 0x101)])
        return builder
    }

    private func keyFrames(_ builder: Builder) throws -> KeyFrames? {
        try MediaInspector.inspect(builder.bytes).keyFrames
    }

    @Test("A key frame reaches from the packet in which it begins to its last packet")
    func places() throws {
        var stream = builder()
        let audio = { (stream: inout Builder) in
            stream.addUnit(0x101, streamID: 0xC0, time: 0, Builder.aacFrame)
        }
        audio(&stream)
        stream.addUnit(0x100, streamID: 0xE0, time: 90_000, Builder.h264KeyFrame + filler(400))
        audio(&stream)
        stream.addUnit(0x100, streamID: 0xE0, time: 93_600, Builder.h264OtherFrame + filler(400))
        stream.addUnit(0x100, streamID: 0xE0, time: 180_000, Builder.h264KeyFrame)
        audio(&stream)
        let found = try #require(try keyFrames(stream))
        // Two packets of tables, one of audio, three of the first key frame, one and three more.
        #expect(found.tableByteCount == 376)
        #expect(
            found.frames == [
                KeyFrame(offset: 3 * 188, byteCount: 3 * 188, milliseconds: 0),
                KeyFrame(offset: 10 * 188, byteCount: 188, milliseconds: 1000),
            ])
    }

    @Test("Audio between the packets of a key frame is within its range")
    func interleaved() throws {
        var stream = builder()
        var video = Builder()
        video.addUnit(0x100, streamID: 0xE0, time: 0, Builder.h264KeyFrame + filler(400))
        stream.bytes += video.bytes.prefix(188)
        stream.addUnit(0x101, streamID: 0xC0, time: 0, Builder.aacFrame)
        stream.bytes += video.bytes.dropFirst(188)
        let found = try #require(try keyFrames(stream))
        #expect(found.frames == [KeyFrame(offset: 376, byteCount: 4 * 188, milliseconds: 0)])
    }

    /// A slice of type 1 with its first bytes, behind the parameter set if there is one.
    private func slice(_ type: UInt8, behindSet: Bool) -> [UInt8] {
        (behindSet ? [0, 0, 1] + Builder.h264ParameterSet : []) + [0, 0, 1, 0x41, type]
    }

    @Test("An intra picture that is no IDR is one where the stream marks it or has its parameters")
    func openGroups() throws {
        for (type, isIntra) in [(0xB0, true), (0x88, true), (0x9A, false), (0xE0, false)] as [(UInt8, Bool)] {
            for (isMarked, hasSet) in [(true, false), (false, true), (false, false)] {
                var stream = builder()
                stream.addUnit(
                    0x100, streamID: 0xE0, time: 0, slice(type, behindSet: hasSet), isRandomAccess: isMarked)
                let isExpected = isIntra && (isMarked || hasSet)
                #expect(try (keyFrames(stream) != nil) == isExpected, "\(type) \(isMarked) \(hasSet)")
            }
        }
    }

    @Test("H.265 has key frames of the types 16 to 23", arguments: [0, 1, 9, 16, 19, 20, 21, 23])
    func hevc(type: UInt8) throws {
        var stream = builder(0x24)
        let units: [UInt8] = [0, 0, 0, 1, 0x46, 1, 0x50, 0, 0, 1, 0x42, 1, 7, 0, 0, 1, type << 1, 1, 0x80]
        stream.addUnit(0x100, streamID: 0xE0, time: 0, units)
        #expect(try (keyFrames(stream) != nil) == (type >= 16))
    }

    @Test("The first slice may come packets after the begin of its picture")
    func longHead() throws {
        var stream = builder()
        let message: [UInt8] = [0, 0, 1, 0x06, 5] + filler(700)
        stream.addUnit(0x100, streamID: 0xE0, time: 0, message + [0, 0, 1, 0x65, 0x88] + filler(300))
        let found = try #require(try keyFrames(stream))
        #expect(found.frames.map(\.byteCount) == [6 * 188])
    }

    @Test("Times count from the earliest picture, also where they wrap")
    func times() throws {
        var stream = builder()
        let wrap: UInt64 = 1 << 33
        for (time, frame) in [
            (wrap - 9000, Builder.h264OtherFrame), (wrap - 4500, Builder.h264KeyFrame),
            (40_500, Builder.h264KeyFrame),
        ] {
            stream.addUnit(0x100, streamID: 0xE0, time: time, frame)
        }
        #expect(try keyFrames(stream)?.frames.map(\.milliseconds) == [50, 550])
    }

    @Test("Nothing is found without a map, in a picture without a time, and in other codecs")
    func none() throws {
        var stream = Builder()
        stream.addUnit(0x100, streamID: 0xE0, time: 0, Builder.h264KeyFrame)
        #expect(try keyFrames(stream) == nil)
        stream = builder()
        stream.addUnit(0x100, streamID: 0xE0, time: nil, Builder.h264KeyFrame)
        stream.addUnit(0x100, streamID: 0xE0, time: 0, Builder.h264OtherFrame)
        #expect(try keyFrames(stream) == nil)
        stream = builder(0x02)
        stream.addUnit(0x100, streamID: 0xE0, time: 0, Builder.h264KeyFrame)
        #expect(try keyFrames(stream) == nil)
    }

    @Test("Tables of an initialization section are not in the segment")
    func initializationSection() throws {
        let section = try InitSection.reading(builder().bytes)
        var stream = Builder()
        stream.addUnit(0x100, streamID: 0xE0, time: 0, Builder.h264KeyFrame)
        let found = try #require(try MediaInspector.inspect(stream.bytes, initSection: section).keyFrames)
        #expect(found.tableByteCount == 0)
        #expect(found.frames == [KeyFrame(offset: 0, byteCount: 188, milliseconds: 0)])
    }

    @Test("A segment has a bounded number of them")
    func bound() throws {
        var stream = builder()
        for index in 0..<200 as Range<UInt64> {
            stream.addUnit(0x100, streamID: 0xE0, time: index * 3600, Builder.h264KeyFrame)
        }
        #expect(try keyFrames(stream)?.frames.count == 120)
    }

    private func filler(_ count: Int) -> [UInt8] {
        Array(repeating: 0xAA, count: count)
    }
}

/// Key frames of fMP4.
struct FragmentKeyFrameTests {
    private let initSection: InitSection

    init() throws {
        initSection = try InitSection.reading(MovieBuilder.initSection)
    }

    /// A moof with one run of video, whose samples begin `gap` bytes after it, and 1000 bytes of media.
    private func fragment(time: UInt64, _ run: (UInt64) -> [UInt8], gap: UInt64 = 8) -> [UInt8] {
        let size = MovieBuilder.box("moof", MovieBuilder.fragment(1, time: time, run(0))).count
        return MovieBuilder.box("moof", MovieBuilder.fragment(1, time: time, run(UInt64(size) + gap)))
            + MovieBuilder.box("mdat", MovieBuilder.zeros(1000))
    }

    /// Samples with size and flags.
    private func run(_ samples: [(size: UInt64, isKey: Bool)]) -> (UInt64) -> [UInt8] {
        { offset in
            MovieBuilder.fullBox(
                "trun", flags: 0x601,
                MovieBuilder.number(UInt64(samples.count), 4) + MovieBuilder.number(offset, 4)
                    + samples.flatMap {
                        MovieBuilder.number($0.size, 4) + MovieBuilder.number($0.isKey ? 0 : 0x1_0000, 4)
                    })
        }
    }

    @Test("The first of each fragment, from its moof to the end of the sample")
    func fragments() throws {
        let first = fragment(time: 12800, run([(300, true), (100, false), (200, true)]))
        let second = fragment(time: 25600, run([(50, false), (70, false)]))
        let third = fragment(time: 38400, run([(50, false), (60, true), (70, false)]))
        let bytes = first + second + third
        let found = try #require(try MediaInspector.inspect(bytes, initSection: initSection).keyFrames)
        let head = first.count - 1000
        #expect(found.tableByteCount == 0)
        #expect(
            found.frames == [
                KeyFrame(offset: 0, byteCount: head + 300, milliseconds: 0),
                // One sample of 512 of 12,800 units later.
                KeyFrame(
                    offset: first.count + second.count, byteCount: third.count - 1000 + 110,
                    milliseconds: 2040),
            ])
    }

    @Test("Flags of the first sample, and sizes by default")
    func defaults() throws {
        let sized = { (offset: UInt64) in
            MovieBuilder.fullBox(
                "trun", flags: 0x205,
                MovieBuilder.number(2, 4) + MovieBuilder.number(offset, 4) + MovieBuilder.number(0, 4)
                    + MovieBuilder.number(400, 4) + MovieBuilder.number(20, 4))
        }
        let bytes = fragment(time: 0, sized)
        let found = try MediaInspector.inspect(bytes, initSection: initSection).keyFrames
        #expect(found?.frames.map(\.end) == [bytes.count - 600])
    }

    @Test("Without sizes, without an initialization section, or where the sample is cut off, there is none")
    func none() throws {
        #expect(try MediaInspector.inspect(MovieBuilder.segment(), initSection: initSection).keyFrames == nil)
        let bytes = fragment(time: 0, run([(300, true)]))
        #expect(try MediaInspector.inspect(bytes).keyFrames == nil)
        #expect(try MediaInspector.inspect(bytes, initSection: initSection).keyFrames != nil)
        let long = fragment(time: 0, run([(2000, true)]))
        #expect(try MediaInspector.inspect(long, initSection: initSection).keyFrames == nil)
    }

    @Test("A run that says more samples than it has, or places beyond any file, has none")
    func hostile() throws {
        let counts = { (offset: UInt64) in
            MovieBuilder.fullBox(
                "trun", flags: 0x601, MovieBuilder.number(0xFFFF_FFFF, 4) + MovieBuilder.number(offset, 4))
        }
        let bare = { (_: UInt64) in
            MovieBuilder.fullBox(
                "trun", flags: 0x1, MovieBuilder.number(0xFFFF_FFFF, 4) + MovieBuilder.number(0x7FFF_FFFF, 4))
        }
        for run in [counts, bare] {
            let found = try MediaInspector.inspect(fragment(time: .max, run), initSection: initSection)
            #expect(found.keyFrames == nil)
        }
    }
}
