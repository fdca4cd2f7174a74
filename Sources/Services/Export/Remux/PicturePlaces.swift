import MediaFormat
import SegmentStore
import Timeline

/// Where the continuous runs of a picture lie in a file whose sound is a rendition of its own.
///
/// Only the picture decides: the sound is moved as far as the picture, and cut to it. Times are in ticks of
/// 90 kHz. What is needed of a run is read from its first and its last segment, when the run is needed.
actor PicturePlaces {
    struct Place: Sendable, Equatable {
        /// Where the run lies in the file.
        var range: Range<Int64>
        /// The time with which it begins in the archive; 33 bits are right.
        var first: UInt64
        /// The first time of fMP4 in its own timescale.
        var track: FragmentRewriter.TrackTimes?

        /// What is added to the times of transport streams.
        var ticks: Int64 { range.lowerBound - Int64(first & PresentationTime.mask) }
    }

    private let beside: RemuxPlan.Beside
    private let store: any SegmentStore
    private let index: FragmentIndex
    private var found: [Place] = []

    init(_ beside: RemuxPlan.Beside, store: any SegmentStore, index: FragmentIndex) {
        (self.beside, self.store, self.index) = (beside, store, index)
    }

    func place(ofRun wanted: Int) async throws -> Place {
        while found.count <= wanted {
            let number = found.count
            let run = beside.runs.all[number]
            let begin = found.last?.range.upperBound ?? TransportStreamJoiner.begin
            let place = try await place(run, begin)
            // Another request for the same run may have come first.
            if found.count == number { found.append(place) }
        }
        return found[wanted]
    }

    private func place(_ run: ContinuousRun, _ begin: Int64) async throws -> Place {
        switch beside.picture {
        case .stream(let input):
            let first = try await span(of: run.first, input)
            let last = run.first == run.last ? first : try await span(of: run.last, input)
            let end = Self.ticks(first.first, to: last.first, run) + last.length
            return Place(range: begin..<(begin + max(1, end)), first: first.first)
        case .fragmented(let file):
            let (plan, section) = (file.plan, file.opening.section)
            let firsts = try await index.times(of: run.first, in: plan, section, isWhole: false)
            let lasts = try await index.times(of: run.last, in: plan, section, isWhole: true)
            guard let track = firsts.first, let last = lasts.first(where: { $0.id == track.id }),
                let first = MediaTimestamp(track: track.first, timescale: track.timescale)?.mpegTicks,
                let end = MediaTimestamp(track: last.end, timescale: track.timescale)?.mpegTicks
            else { throw ExportError.notPacked("a segment has no times") }
            // Rounded up.
            return Place(
                range: begin..<(begin + max(1, end - first + 1)), first: UInt64(max(0, first)), track: track)
        }
    }

    /// The ticks between two times of 33 bits, which may have wrapped more than once.
    private static func ticks(_ first: UInt64, to last: UInt64, _ run: ContinuousRun) -> Int64 {
        let expected = (run.last.start - run.first.start) * 9 / 100
        return expected
            + PresentationTime.difference(last &- first, UInt64(bitPattern: expected))
    }

    private func span(
        of segment: RecordedSegment, _ input: RemuxPlan.Input,
    ) async throws -> (first: UInt64, length: Int64) {
        let opener = SegmentOpener(store, input.channel, input.rendition, formats: input.formats)
        let reader = try await opener.reader(of: segment)
        var joiner = TransportStreamJoiner()
        joiner.begin(jumps: true)
        while let piece = try await reader.next(limit: Limits.pieceByteCount) { _ = joiner.append(piece) }
        _ = joiner.finish()
        guard let span = joiner.span else { throw ExportError.notPacked("a segment has no times") }
        return span
    }
}
