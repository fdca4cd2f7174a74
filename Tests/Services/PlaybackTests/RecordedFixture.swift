import Catalogue
import HLS
import HTTP
import TestSupport
import Testing
import Timeline

@testable import Playback

func window(_ begin: Double, _ end: Double) -> TimeWindow {
    TimeWindow(begin: at(begin), end: at(end))
}

/// The content of an archive, defined by a test.
struct RecordedFixture {
    struct Rendition {
        var description: RenditionDescription
        var segments: [RecordedSegment]

        var id: RenditionID { description.id }
    }

    var renditions: [Rendition] = []
    var formats: [Int32: SegmentFormat] = [1: .muxed]
    var markers: [RecordedMarker] = []
    var watermark: Double = 100_000
    var targetSeconds = 4
    /// Discontinuity sequences from 0 on with which the target duration rose.
    var targetRises: [TargetRise] = []
    /// Everything before this second has expired.
    var expiredBefore: Double?
    var retentionSeconds: Int64?

    init() {}

    /// A single rendition with these segments; the watermark is a second.
    init(_ segments: [RecordedSegment], as id: String = "v0", until watermark: Double = 100_000) {
        self.watermark = watermark
        add(segments, as: id)
    }

    mutating func add(
        _ segments: [RecordedSegment], as id: String,
        _ describe: (inout RenditionDescription) -> Void = { _ in }
    ) {
        guard let id = RenditionID(id) else { return }
        var description = RenditionDescription(id: id)
        describe(&description)
        renditions.append(Rendition(description: description, segments: segments))
    }

    var publishedHead: PublishedHead {
        let rise = targetRises.last { $0.begin <= at(watermark) }
        return PublishedHead(
            discontinuitySequence: rise?.discontinuitySequence ?? 0, end: at(watermark),
            watermark: at(watermark), expiredBefore: expiredBefore.map(at) ?? Instant(microseconds: 0),
            targetSeconds: rise?.targetSeconds ?? targetSeconds)
    }

    /// The segments as the composer gets them.
    ///
    /// Each rendition is one block without a summary, or several blocks as the index would make them, each
    /// ending after a segment that `cut` names.
    func held(cutting cut: ((Int) -> Bool)? = nil) -> HeldSegments {
        HeldSegments(
            publishedHead: publishedHead,
            renditions: renditions.map { rendition in
                ListedRendition(
                    description: rendition.description, segments: segments(of: rendition, cutting: cut))
            }, formats: formats, markers: markers.map { MarkerText($0) }, targetRises: targetRises)
    }

    private func segments(of rendition: Rendition, cutting cut: ((Int) -> Bool)?) -> SegmentList {
        var list = SegmentList()
        var open: [RecordedSegment] = []
        for (index, segment) in rendition.segments.enumerated() {
            open.append(segment)
            guard index == rendition.segments.count - 1 || cut?(index) == true else { continue }
            list.append(block(of: rendition.id, open, formats: cut == nil ? [:] : formats), open.indices)
            open = []
        }
        return list
    }

    private func block(
        of rendition: RenditionID, _ segments: [RecordedSegment], formats: [Int32: SegmentFormat]
    ) -> Block {
        let quarter = Quarter(rendition: 1, containing: segments.first?.start.microseconds ?? 0)
        return Block(
            QuarterRecord(quarter: quarter, version: nil, segments: segments), formats: formats,
            rendition: rendition)
    }

    func closed(
        _ begin: Double, _ end: Double, _ change: (inout WindowRequest) -> Void = { _ in }
    ) throws -> PlaylistContents {
        try composed(.closed(begin: at(begin), end: at(end)), change)
    }

    func event(
        _ begin: Double, _ end: Double, isOver: Bool = false,
        _ change: (inout WindowRequest) -> Void = { _ in }
    ) throws -> PlaylistContents {
        try composed(.event(begin: at(begin), end: at(end)), isOver: isOver, change)
    }

    /// A sliding playlist; all times are seconds.
    func sliding(
        length: Double? = nil, delay: Double = 0, lag: Double = 0, now: Double, isOver: Bool = false,
        cutting cut: ((Int) -> Bool)? = nil
    ) -> PlaylistContents {
        let plan = SlidingPlan(
            length: length.map { Int64($0 * 1_000_000) }, delay: Int64(delay * 1_000_000),
            publishedHead: publishedHead, lag: Int64(lag * 1_000_000), now: at(now))
        return plan.composed(held(cutting: cut), isOver: isOver)
    }

    /// The archive as it is seen while the watermark is at this second.
    func published(until seconds: Double) -> RecordedFixture {
        var seen = self
        seen.watermark = seconds
        let everything = TimeWindow(begin: Instant(microseconds: 0), end: .distantFuture)
        let selection = BlockSelection(window: everything, scope: .published, watermark: at(seconds))
        for (index, rendition) in renditions.enumerated() {
            let block = block(of: rendition.id, rendition.segments, formats: [:])
            seen.renditions[index].segments = Array(selection.segments(of: [block]))
        }
        // The log may end later than the watermark, and what became known there is known.
        seen.markers = markers.compactMap { marker in
            var marker = marker
            marker.versions.removeAll { $0.shown > at(seconds + 3) }
            return marker.versions.isEmpty ? nil : marker
        }
        return seen
    }

    /// Lets the target duration rise with discontinuity sequence 1, which begins at a second.
    mutating func raiseTarget(from before: Int, to later: Int, at begin: Double) {
        targetRises = [(0, 0.0, before), (1, begin, later)].map { sequence, begin, seconds in
            TargetRise(discontinuitySequence: sequence, begin: at(begin), targetSeconds: seconds)
        }
    }

    /// The archive after everything before this second has expired.
    func expiring(before seconds: Double) -> RecordedFixture {
        var left = self
        left.expiredBefore = seconds
        for index in left.renditions.indices {
            left.renditions[index].segments.removeAll { $0.start < at(seconds) }
        }
        return left
    }

    func composed(
        _ span: WindowRequest.Span, cutting cut: ((Int) -> Bool)? = nil, isOver: Bool = false,
        _ change: (inout WindowRequest) -> Void = { _ in }
    ) throws -> PlaylistContents {
        var request = WindowRequest(span)
        change(&request)
        let plan = try WindowPlan.resolving(
            request, publishedHead: publishedHead, maxWindowSeconds: 86_400,
            retentionSeconds: retentionSeconds)
        return try PlaylistComposer.compose(
            held(cutting: cut), plan: plan, isSettled: true, isOver: isOver)
    }
}

/// Consecutive segments without a pause.
func run(
    _ count: Int, from start: Double, of duration: Double = 4, number: Int64? = 0, sequence: Int32 = 0,
    format: Int32 = 1, bytes: Int64 = 500_000, flags: SegmentFlags = []
) -> [RecordedSegment] {
    (0..<count).map { index in
        RecordedSegment(
            start: at(start + Double(index) * duration), duration: Int64((duration * 1_000_000).rounded()),
            number: number.map { $0 + Int64(index) }, discontinuitySequence: sequence, formatID: format,
            flags: flags,
            storedBytes: bytes,
            plainBytes: bytes)
    }
}

extension SegmentFormat {
    static let muxed = SegmentFormat(
        container: .transportStream, tracks: "video:h264,audio:aac", codecs: "avc1.64001f,mp4a.40.2")
    static let silent = SegmentFormat(
        container: .transportStream, tracks: "video:h264", codecs: "avc1.64001f")

    static func fragmented(_ initName: String) -> SegmentFormat {
        var format = SegmentFormat(container: .fragmentedMP4, tracks: "video:h264", codecs: "avc1.64001f")
        format.initName = initName
        return format
    }

    static func encrypted(_ keyName: String) -> SegmentFormat {
        var format = SegmentFormat.muxed
        format.keyMethod = "AES-128"
        format.keyName = keyName
        return format
    }
}

extension PlaylistContents {
    func text(of id: String = "v0") -> String? {
        let playlist = RenditionID(id).flatMap { try? mediaPlaylist(of: $0) }
        return playlist.map { String(decoding: $0.body.flatMap(\.bytes), as: UTF8.self) }
    }

    func starts(of id: String = "v0") -> [Instant] {
        RenditionID(id).flatMap { self[$0] }?.segments.map(\.start) ?? []
    }
}

/// Reads a composed media playlist, in which the reader must find nothing to tolerate.
func readBack(_ text: String?) throws -> MediaPlaylist? {
    guard let text else { return nil }
    let read = try Playlist.reading(text)
    #expect(read.notes.isEmpty)
    return try read.playlist.media
}
