import Catalogue
import SegmentStore
import Testing
import Timeline

@testable import ViewerAPI

/// fMP4 without media, with decode times of 32 bits.
enum TestBoxes {
    static func opening(timescale: UInt32) -> [UInt8] {
        let header = [UInt8](repeating: 0, count: 12) + number(1)
        let media = [UInt8](repeating: 0, count: 12) + number(timescale) + [UInt8](repeating: 0, count: 8)
        let handler = [UInt8](repeating: 0, count: 8) + Array("vide".utf8) + [UInt8](repeating: 0, count: 13)
        return box(
            "moov", box("trak", box("tkhd", header) + box("mdia", box("mdhd", media) + box("hdlr", handler))))
    }

    static func segment(time: UInt32) -> [UInt8] {
        let track = box("tfhd", [0, 2, 0, 0] + number(1)) + box("tfdt", number(0) + number(time))
        return box("moof", box("traf", track)) + box("mdat", [1, 2, 3])
    }

    /// A segment with a decode time of 64 bits and a sample of 100 ticks.
    static func longSegment(time: UInt64) -> [UInt8] {
        let decoded = number(UInt32(time >> 32)) + number(UInt32(truncatingIfNeeded: time))
        let run = box("trun", [0, 0, 1, 0] + number(1) + number(100))
        let track =
            box("tfhd", [0, 2, 0, 0] + number(1)) + box("tfdt", [1, 0, 0, 0] + decoded) + run
        return box("moof", box("traf", track)) + box("mdat", [1, 2, 3])
    }

    private static func number(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
    }

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        number(UInt32(content.count + 8)) + Array(type.utf8) + content
    }
}

extension ViewerFixture {
    /// Adds a segment of a second for each of these, each of a discontinuity of its own, and stores their
    /// initialization section.
    func add(
        _ id: String, _ segments: [[UInt8]], tracks: String, to recording: inout Recording,
    ) async throws {
        var format = SegmentFormat(container: .fragmentedMP4, tracks: tracks)
        format.initName = "init-0123456789abcdef.mp4"
        let first = recording.segments.count
        recording.add(id, from: 0, count: segments.count, format: format) { $0.groupID = "aac" }
        if id == "a0" { recording.renditions[0].audioGroup = "aac" }
        for (index, bytes) in segments.enumerated() {
            let place = first + index
            (recording.segments[place].start, recording.segments[place].duration) = (Double(index), 1)
            recording.segments[place].discontinuitySequence = Int32(index)
            (recording.segments[place].plain, recording.segments[place].stored) = (bytes, bytes)
        }
        try await store.put(
            TestBoxes.opening(timescale: 90_000),
            as: .initialization(
                try #require(ChannelID(recording.channel)), try #require(RenditionID(id)),
                "init-0123456789abcdef.mp4"))
    }

    /// Records a segment of a second for each decode time.
    func recordBoxes(
        _ recording: inout Recording, times: [UInt64], timescale: UInt32 = 1_000,
    ) async throws {
        var format = SegmentFormat(container: .fragmentedMP4, tracks: "video:h264,audio:aac")
        format.initName = "init-0123456789abcdef.mp4"
        recording.add("v0", from: 0, count: times.count, format: format)
        for (index, time) in times.enumerated() {
            recording.segments[index].start = Double(index)
            recording.segments[index].duration = 1
            recording.segments[index].plain = TestBoxes.segment(time: UInt32(clamping: time))
            recording.segments[index].stored = recording.segments[index].plain
        }
        try await record(recording)
        try await store.put(
            TestBoxes.opening(timescale: timescale),
            as: .initialization(
                try #require(ChannelID(recording.channel)), RenditionID(kind: .video, index: 0),
                "init-0123456789abcdef.mp4"))
    }
}
