import Catalogue
import Timeline

@testable import Playback

/// 2016-07-26T05:05:16Z: the origin of the time line of these tests.
let origin = Instant(milliseconds: 1_469_509_516_000)

/// An instant so many seconds after the origin.
func at(_ seconds: Double) -> Instant {
    origin + Int64((seconds * 1_000_000).rounded())
}

func window(_ begin: Double, _ end: Double) -> TimeWindow {
    TimeWindow(begin: at(begin), end: at(end))
}

/// What a catalogue would hold, written down by hand.
struct Recorded {
    var renditions: [RenditionRecord] = []
    var states: [Int32: MediaState] = [1: .muxed]
    var watermark: Double = 100_000
    var targetSeconds = 4

    init() {}

    /// One rendition of segments.
    init(_ segments: [RecordedSegment], as id: String = "v0") {
        add(segments, as: id)
    }

    mutating func add(
        _ segments: [RecordedSegment], as id: String,
        _ describe: (inout RenditionDescription) -> Void = { _ in }
    ) {
        guard let id = RenditionID(id) else { return }
        var description = RenditionDescription(id: id)
        describe(&description)
        renditions.append(RenditionRecord(description: description, segments: segments))
    }

    var line: Line {
        Line(
            epoch: 0, end: at(watermark), watermark: at(watermark), forgotten: Instant(microseconds: 0),
            targetSeconds: targetSeconds)
    }

    var record: WindowRecord { WindowRecord(line: line, renditions: renditions, states: states) }

    func closed(
        _ begin: Double, _ end: Double, _ change: (inout WindowRequest) -> Void = { _ in }
    ) throws -> ComposedWindow {
        try composed(.closed(begin: at(begin), end: at(end)), change)
    }

    func event(_ begin: Double, _ end: Double) throws -> ComposedWindow {
        try composed(.event(begin: at(begin), end: at(end))) { _ in }
    }

    /// What a reader of the published log sees: up to the watermark, with numbers.
    func published(until seconds: Double) -> Recorded {
        var seen = self
        seen.watermark = seconds
        for index in seen.renditions.indices {
            seen.renditions[index].segments.removeAll { $0.number == nil || $0.end > at(seconds) }
        }
        return seen
    }

    private func composed(
        _ span: WindowRequest.Span, _ change: (inout WindowRequest) -> Void
    ) throws -> ComposedWindow {
        var request = WindowRequest(span)
        change(&request)
        let plan = try WindowPlan.resolving(request, line: line, maxWindowSeconds: 86_400)
        return WindowComposer.compose(record, plan: plan, request: request)
    }
}

/// Segments that follow each other without a pause.
func run(
    _ count: Int, from start: Double, of duration: Double = 4, number: Int64? = 0, epoch: Int32 = 0,
    state: Int32 = 1, bytes: Int64 = 500_000, flags: SegmentFlags = []
) -> [RecordedSegment] {
    (0..<count).map { index in
        RecordedSegment(
            start: at(start + Double(index) * duration), duration: Int64((duration * 1_000_000).rounded()),
            number: number.map { $0 + Int64(index) }, epoch: epoch, stateID: state, flags: flags,
            storedBytes: bytes,
            plainBytes: bytes)
    }
}

extension MediaState {
    static let muxed = MediaState(
        container: .transportStream, tracks: "video:h264,audio:aac", codecs: "avc1.64001f,mp4a.40.2")
    static let silent = MediaState(container: .transportStream, tracks: "video:h264", codecs: "avc1.64001f")

    static func fragmented(_ initName: String) -> MediaState {
        var state = MediaState(container: .fragmentedMP4, tracks: "video:h264", codecs: "avc1.64001f")
        state.initName = initName
        return state
    }

    static func encrypted(_ keyName: String) -> MediaState {
        var state = MediaState.muxed
        state.keyMethod = "AES-128"
        state.keyName = keyName
        return state
    }
}

extension ComposedWindow {
    func text(of id: String = "v0") -> String? {
        RenditionID(id).flatMap(mediaPlaylist).map { String(decoding: $0, as: UTF8.self) }
    }

    func starts(of id: String = "v0") -> [Instant] {
        RenditionID(id).flatMap { self[$0] }?.segments.map(\.start) ?? []
    }
}
