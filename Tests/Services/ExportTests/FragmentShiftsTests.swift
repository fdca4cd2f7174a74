import Testing
import Timeline

@testable import Export
@testable import MediaFormat

@Suite("Times of fragments in a file")
struct FragmentShiftsTests {
    private func times(
        _ id: UInt32, _ timescale: UInt32, _ first: UInt64, _ end: UInt64, isNarrow: Bool = false
    ) -> FragmentRewriter.TrackTimes {
        FragmentRewriter.TrackTimes(
            id: id, timescale: timescale, first: first, end: end, isNarrow: isNarrow)
    }

    @Test("The earliest track begins at 0, the others keep their distance, and holes are closed")
    func runs() {
        var shifts = FragmentShifts()
        // Audio begins 10 ms after the picture, at ten seconds.
        shifts.begin([times(1, 90_000, 900_000, 0), times(2, 48_000, 480_480, 0)], timescales: [:])
        #expect(shifts.current == [1: -900_000, 2: -480_000])
        shifts.end([times(1, 90_000, 0, 1_260_000), times(2, 48_000, 0, 672_960)])
        // The source has begun at 100 s again. Audio ended 20 ms after the picture, at 4.02 s.
        shifts.begin([times(1, 90_000, 9_000_000, 0), times(2, 48_000, 4_800_480, 0)], timescales: [:])
        let video = 9_000_000 + (shifts.current[1] ?? 0)
        let audio = 4_800_480 + (shifts.current[2] ?? 0)
        #expect((192_960...192_965).contains(audio))
        #expect((360_900...360_910).contains(video))
    }

    @Test("A track that is not in the first segment of a run is moved with the others")
    func absentTrack() {
        var shifts = FragmentShifts()
        let timescales: [UInt32: UInt32] = [1: 90_000, 2: 48_000, 3: 0]
        shifts.begin([times(1, 90_000, 900_000, 0)], timescales: timescales)
        #expect(shifts.current == [1: -900_000, 2: -480_000])
        shifts.end([times(1, 90_000, 0, 1_260_000), times(2, 48_000, 0, 672_000)])
        // Both tracks begin at 0 again; four seconds are in the file.
        shifts.begin([times(1, 90_000, 0, 0)], timescales: timescales)
        #expect((360_000...360_010).contains(shifts.current[1] ?? 0))
        #expect((192_000...192_005).contains(shifts.current[2] ?? 0))
    }

    @Test("Times of 64 bits that no source can mean are added up without an overflow")
    func implausible() {
        var shifts = FragmentShifts()
        for _ in 0..<3 {
            shifts.begin(
                [times(1, 90_000, 0, 0), times(2, 1, .max, 0), times(3, .max, .max, 0)], timescales: [:])
            shifts.end([times(1, 90_000, 0, .max), times(2, 1, 0, .max), times(3, .max, 0, .max)])
        }
        #expect((shifts.current[1] ?? 0) > 0)
    }

    @Test(
        "Times that cannot be added up are none: those since 1904 in nanoseconds",
        arguments: [
            (90_000, 3_863_000_000, true), (1_000_000_000, 3_863_000_000, false),
            (1_000_000_000, 1_780_000_000, true),
        ] as [(UInt32, UInt64, Bool)])
    func late(timescale: UInt32, seconds: UInt64, isPlausible: Bool) {
        let first = seconds * UInt64(timescale)
        let track = times(1, timescale, first, first + 4 * UInt64(timescale))
        #expect(FragmentIndex.isPlausible(track) == isPlausible)
    }

    @Test(
        "Times of 32 bits end the file before they overflow",
        arguments: [(90_000, 47_721), (10_000_000, 429)] as [(UInt32, Int64)])
    func narrow(timescale: UInt32, seconds: Int64) throws {
        for isNarrow in [true, false] {
            let file = try file(
                seconds: 86_400, firsts: [[times(1, timescale, 0, 0, isNarrow: isNarrow)]])
            #expect(file.byteCount == 86_400_000 + UInt64(Self.initSection.count))
            let longest = file.longest.map { $0 / 1_000_000 }
            #expect(isNarrow ? (seconds * 98 / 100...seconds).contains(longest ?? 0) : longest == nil)
        }
    }

    @Test(
        "Audio of 33 bits ends the file of any video before it wraps",
        arguments: [(25, SegmentExtension.aac, nil), (30, .aac, 26), (30, .transportStream, 26)]
            as [(Int, SegmentExtension, Int64?)])
    func longAudio(hours: Int, container: SegmentExtension, longest: Int64?) throws {
        let seconds = hours * 3600
        let video = try file(seconds: seconds, firsts: [[times(1, 90_000, 0, 0)]])
        let format = SegmentFormat(container: container, tracks: "audio:aac")
        let audio = try RemuxPlan.Input(
            try #require(ChannelID("cctv2")),
            (RenditionID(kind: .audio, index: 0), [Self.run(seconds: seconds)], [1: format]))
        let plan = try RemuxPlan(video: .fragmented(video), audio: .stream(audio))
        #expect(plan.longest == longest.map { $0 * 3_600_000_000 })
        #expect(try RemuxPlan(video: .fragmented(video), audio: .fragmented(video)).longest == nil)
    }

    /// A file with a segment of a thousand bytes for each second.
    private func file(seconds: Int, firsts: [[FragmentShifts.Times]]) throws -> FragmentedFile {
        var format = SegmentFormat(container: .fragmentedMP4, tracks: "video:h264,audio:aac")
        format.initName = "init-0123456789abcdef.mp4"
        let plan = try FragmentedPlan(
            channel: try #require(ChannelID("cctv2")), rendition: RenditionID(kind: .video, index: 0),
            runs: [Self.run(seconds: seconds)], formats: [1: format])
        let section = try InitSection.reading(Self.initSection)
        return FragmentedFile(
            plan, FileInitSection(bytes: Self.initSection, section: section), firsts: firsts)
    }

    private static func run(seconds: Int) -> SegmentRun {
        let segments = (0..<seconds).map { number in
            RecordedSegment(
                start: Instant(seconds: Int64(number)), duration: 1_000_000, number: Int64(number),
                discontinuitySequence: 0, formatID: 1, storedBytes: 1000, plainBytes: 1000)
        }
        return SegmentRun(
            segments: segments[...], plainBytes: UInt64(seconds) * 1000, formatIDs: [1], digest: [1])
    }

    /// A moov with one track that has an ID and nothing else.
    private static let initSection: [UInt8] =
        box("moov", box("trak", box("tkhd", [UInt8](repeating: 0, count: 12) + [0, 0, 0, 1])))

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        [0, 0, 0, UInt8(content.count + 8)] + Array(type.utf8) + content
    }
}
