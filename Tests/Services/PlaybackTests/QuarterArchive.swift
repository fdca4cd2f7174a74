import Catalogue
import TestSupport
import Timeline

@testable import Playback

/// An archive in aligned quarters of an hour, as the index holds it.
struct QuarterArchive {
    private struct Rendition {
        var description: RenditionDescription
        var blocks: [Int64: Block]
    }

    private var renditions: [Rendition] = []
    private let formats: [Int32: SegmentFormat] = [
        1: .muxed, 2: .silent, 3: .encrypted("k1"), 5: .fragmented("init-1.mp4"),
    ]
    private let watermark: Instant
    let keyFrameRates = KeyFrameRates()

    init(
        renditions: [(String, [RecordedSegment])],
        describe: (inout RenditionDescription) -> Void = { _ in }
    ) {
        watermark = renditions.compactMap(\.1.last?.end).max() ?? at(0)
        for (index, (name, segments)) in renditions.enumerated() {
            guard let id = RenditionID(name) else { continue }
            var description = RenditionDescription(id: id)
            describe(&description)
            self.renditions.append(
                Rendition(description: description, blocks: blocks(of: id, row: index + 1, segments)))
        }
    }

    private func blocks(of id: RenditionID, row: Int, _ segments: [RecordedSegment]) -> [Int64: Block] {
        guard let first = segments.first else { return [:] }
        var blocks: [Int64: Block] = [:]
        let begin = Quarter(rendition: Int32(row), containing: first.start.microseconds).begin
        for start in stride(
            from: begin, to: watermark.microseconds + Quarter.microseconds, by: Int(Quarter.microseconds))
        {
            let own = segments.filter {
                $0.start.microseconds >= start && $0.start.microseconds < start + Quarter.microseconds
            }
            blocks[start] = Block(
                QuarterRecord(
                    quarter: Quarter(rendition: Int32(row), containing: start), version: nil, segments: own),
                formats: formats, rendition: id)
        }
        return blocks
    }

    var head: ChannelHead {
        ChannelHead(
            channel: 1,
            publishedHead: PublishedHead(
                discontinuitySequence: 0, end: watermark, watermark: watermark,
                expiredBefore: Instant(microseconds: 0), targetSeconds: 4),
            revision: 1,
            renditions: renditions.enumerated().map { index, rendition in
                KnownRendition(
                    row: Int32(index + 1), description: rendition.description,
                    firstQuarter: rendition.blocks.keys.min())
            })
    }

    func blocks(_ rendition: KnownRendition) -> [Int64: Block] {
        renditions[Int(rendition.row) - 1].blocks
    }

    /// What the composer makes of a window.
    func composed(_ plan: WindowPlan) throws -> PlaylistContents {
        let wide = TimeWindow(
            begin: plan.window.begin - SegmentFormat.longRunMicroseconds,
            end: plan.window.end + SegmentFormat.longRunMicroseconds)
        let selection = BlockSelection(window: wide, scope: .archive, watermark: watermark)
        let listed = head.renditions.map { rendition in
            let held = blocks(rendition)
            let quarters = selection.range(of: rendition)?.quarters ?? []
            return ListedRendition(
                description: rendition.description,
                segments: selection.segments(of: quarters.compactMap { held[$0.begin] }))
        }
        return try PlaylistComposer.compose(
            HeldSegments(publishedHead: head.publishedHead, renditions: listed, formats: formats),
            plan: plan, isSettled: true)
    }
}

extension QuarterArchive {
    /// Makes the rates of all key frames known.
    func measureKeyFrames(_ generator: inout SeededGenerator) {
        for block in renditions.flatMap(\.blocks.values) {
            keyFrameRates.keep(Int64.random(in: 0...9_000_000, using: &generator), for: block.place)
        }
    }

    /// What composing a multivariant playlist takes of them.
    func keyFrameRates(of contents: PlaylistContents) -> [RenditionID: Int64] {
        var rates: [RenditionID: Int64] = [:]
        for rendition in contents.renditions where rendition.id.kind == .video {
            let places = rendition.keyFrameBlocks.map(\.place)
            if !places.isEmpty { rates[rendition.id] = keyFrameRates.highest(of: places) }
        }
        return rates
    }

    /// Six hours of up to three renditions, with long runs and what interrupts them.
    static func random(_ generator: inout SeededGenerator) -> QuarterArchive {
        let format: Int32 = [1, 1, 5].randomElement(using: &generator) ?? 1
        let ids = ["v0", "v1", "a0"].prefix(Int.random(in: 1...3, using: &generator))
        let bandwidths: [Int64?] = [1_000, 5_000, nil]
        // Groups, and names that look like a place of a template.
        let names: [String?] = [nil, "One", "?\u{E000}", "BANDWIDTH=9000000000000003"]
        let archive = QuarterArchive(
            renditions: ids.map { ($0, segments(of: format, &generator)) }
        ) { description in
            description.bandwidth = bandwidths.randomElement(using: &generator) ?? nil
            description.name = names.randomElement(using: &generator) ?? nil
            let group = Bool.random(using: &generator) ? "audio" : nil
            if description.id.kind == .video { description.audioGroup = group }
            if description.id.kind == .audio { description.groupID = group }
        }
        archive.measureKeyFrames(&generator)
        return archive
    }

    private static func segments(
        of format: Int32, _ generator: inout SeededGenerator
    ) -> [RecordedSegment] {
        var segments: [RecordedSegment] = []
        var (start, sequence, current) = (at(0), Int32(0), format)
        let drift = [0, 0, 0, 20, -15, -15, 5, 900].randomElement(using: &generator) ?? 0
        let usual = [4_000_000, 3_840_000, 6_006_000].randomElement(using: &generator) ?? 4_000_000
        while start < at(20_500) {
            var segment = RecordedSegment(
                start: start, duration: Int64(usual), number: Int64(segments.count),
                discontinuitySequence: sequence, formatID: current,
                flags: Int.random(in: 0..<3_000, using: &generator) == 0 ? [] : .independent,
                storedBytes: Int64.random(in: 1_000...1_100, using: &generator), plainBytes: 1_000)
            // In some quarters of an hour, in one of them not in each segment.
            let place = Int(start.microseconds / Quarter.microseconds) % 5
            if place == 0 || place == 1 && segments.count.isMultiple(of: 3) {
                segment.flags.insert(.hasKeyFrames)
            }
            switch Int.random(in: 0..<6_000, using: &generator) {
            case 0: start = start + Int64.random(in: 300_000...2_000_000_000, using: &generator)
            case 1: (sequence, current) = (sequence + 1, format == 1 ? 2 : format)
            case 2: sequence += 1
            case 3: segment.number = nil
            case 4...40: segment.duration -= Int64.random(in: 0...900_000, using: &generator)
            case 41...60: segment.measuredDuration = segment.duration + 40_000
            case 61...80:
                segment.flags.insert(.hasCueTags)
                segment.cueTags = ["#EXT-X-CUE-OUT-CONT:1/60"]
            case 81...90: start = start + Int64.random(in: 500...100_000, using: &generator)
            case 91...95: segment.revision = 2
            default: break
            }
            segments.append(segment)
            start = max(start, segment.start) + segment.duration + Int64(max(0, drift))
            if drift < 0 { start = start + Int64(drift) }
        }
        return segments
    }
}
