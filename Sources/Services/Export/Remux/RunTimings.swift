import MediaFormat
import SegmentStore
import Timeline

/// Where the continuous runs of a video lie in a file whose audio is a rendition of its own.
///
/// The video decides: the audio is moved as far as the video. Times are in ticks of 90 kHz. What is
/// needed of a run is read from its first and its last segment, when the run is needed.
actor RunTimings {
    struct Timing: Sendable, Equatable {
        /// Where the video of the run lies in the file.
        var range: Range<Int64>
        /// Its first timestamp in the archive, of which only the lower 33 bits are significant.
        var first: UInt64
        /// The first time of a video in fMP4, in its own timescale.
        var track: FragmentRewriter.TrackTimes?
        /// Of audio in fMP4.
        var audio: Audio?
        /// Ticks to add to audio that is not fMP4 and has its own time base; nil if that is the video's.
        var ownAudioTicks: Int64?

        /// What is added to the times of transport streams.
        var ticks: Int64 { range.lowerBound - Int64(first & PresentationTime.mask) }
        var audioTicks: Int64 { ownAudioTicks ?? ticks }
    }

    /// Where the audio of a run lies in the file if it is fMP4, whose segments are not cut.
    struct Audio: Sendable, Equatable {
        var range: Range<Int64>
        /// Its first time in its own timescale.
        var track: FragmentRewriter.TrackTimes
    }

    /// The times of the first and the last segment of one track in fMP4.
    private struct TrackSpan {
        var track: FragmentRewriter.TrackTimes
        var first: UInt64
        var length: Int64
    }

    private let audioVideo: RemuxPlan.AudioVideo
    private let store: any SegmentStore
    private let index: FragmentIndex
    /// The first and last segment of audio beside each run; nil where it has none.
    private let audioEnds: [(first: RecordedSegment, last: RecordedSegment)?]
    private var found: [Timing] = []

    init(_ audioVideo: RemuxPlan.AudioVideo, store: any SegmentStore, index: FragmentIndex) {
        (self.audioVideo, self.store, self.index) = (audioVideo, store, index)
        audioEnds = audioVideo.audioEnds
    }

    func timing(ofRun wanted: Int) async throws -> Timing {
        while found.count <= wanted {
            let number = found.count
            let timing = try await timing(number, after: found.last)
            // Another request for the same run may have come first.
            if found.count == number { found.append(timing) }
        }
        return found[wanted]
    }

    private func timing(_ number: Int, after before: Timing?) async throws -> Timing {
        let run = audioVideo.runs.all[number]
        let video = try await video(of: run)
        var begin = before?.range.upperBound ?? TransportStreamJoiner.begin
        var audio: (span: TrackSpan, audioDelay: Int64)?
        if case .fragmented(let file) = audioVideo.audio, let ends = audioEnds[number] {
            let span = try await span(ends.first, ends.last, of: file)
            let audioDelay = Self.audioDelay(of: span.first, ends.first, before: video.first, run)
            // Audio may last longer than the video: the next run waits for its end.
            begin = max(begin, (found.last { $0.audio != nil }?.audio?.range.upperBound ?? 0) - audioDelay)
            audio = (span, audioDelay)
        }
        let lengths = [video.length, audio?.span.length ?? 0]
        guard begin <= Limits.fileTicks, lengths.allSatisfy({ $0 <= Limits.fileTicks }) else {
            throw ExportError.notPacked("the times of a run are longer than any window")
        }
        var timing = Timing(
            range: begin..<(begin + max(1, video.length)), first: video.first, track: video.track,
            audio: audio.map { audio in
                let first = begin + audio.audioDelay
                return Audio(range: first..<(first + max(1, audio.span.length)), track: audio.span.track)
            })
        if case .stream(let input) = audioVideo.audio, let segment = audioEnds[number]?.first,
            let first = try await span(of: segment, input, at: run.time(of: segment, video.first))?.first
        {
            let audioDelay = Self.audioDelay(of: first, segment, before: video.first, run)
            let isOwn = PresentationTime.difference(first &- video.first, UInt64(bitPattern: audioDelay)) != 0
            if isOwn { timing.ownAudioTicks = begin + audioDelay - Int64(first & PresentationTime.mask) }
        }
        return timing
    }

    private func video(
        of run: ContinuousRun,
    ) async throws -> (first: UInt64, length: Int64, track: FragmentRewriter.TrackTimes?) {
        switch audioVideo.video {
        case .stream(let input):
            let first = try await span(of: run.first, input)
            let last = run.first == run.last ? first : try await span(of: run.last, input)
            guard let first, let last else { throw ExportError.notPacked("a segment has no times") }
            let distance = Self.distance(first.first, last.first, near: run.distance(to: run.last))
            return (first.first, distance + last.length, nil)
        case .fragmented(let file):
            let span = try await span(run.first, run.last, of: file)
            return (span.first, span.length, span.track)
        }
    }

    /// How long after the video the audio of a run begins.
    ///
    /// The catalogue says it where both do not count from the same time.
    private static func audioDelay(
        of audio: UInt64, _ segment: RecordedSegment, before video: UInt64, _ run: ContinuousRun,
    ) -> Int64 {
        let expected = run.distance(to: segment)
        let audioDelay = distance(video, audio, near: expected)
        return (audioDelay - expected).magnitude < Limits.audioDistanceTicks ? audioDelay : expected
    }

    /// The ticks between two times of 33 bits, which may have wrapped more than once.
    private static func distance(_ first: UInt64, _ last: UInt64, near expected: Int64) -> Int64 {
        expected + PresentationTime.difference(last &- first, UInt64(bitPattern: expected))
    }

    /// The times of a segment of a transport stream or of packed audio, which begins `at` a time unless it
    /// says one; nil if it has none.
    private func span(
        of segment: RecordedSegment, _ input: RemuxPlan.Input, at begin: UInt64 = 0,
    ) async throws -> (first: UInt64, length: Int64)? {
        let opener = SegmentOpener(store, input.channel, input.rendition, formats: input.formats)
        let reader = try await opener.reader(of: segment)
        var joiner = TransportStreamJoiner()
        joiner.begin(jumps: true)
        var packets = PackedAudioMuxer()
        packets.begin(at: begin)
        let isPacked = input.container != .transportStream
        while let piece = try await reader.next(limit: Limits.pieceByteCount) {
            _ = joiner.append(isPacked ? packets.append(piece) : piece)
        }
        if isPacked { _ = joiner.append(packets.finish()) }
        _ = joiner.finish()
        return joiner.span
    }

    private func span(
        _ first: RecordedSegment, _ last: RecordedSegment, of file: FragmentedFile,
    ) async throws -> TrackSpan {
        let (plan, section) = (file.plan, file.initSection.section)
        let firsts = try await index.times(of: first, in: plan, section, isWhole: false)
        let lasts = try await index.times(of: last, in: plan, section, isWhole: true)
        guard let track = firsts.first, let last = lasts.first(where: { $0.id == track.id }),
            let first = MediaTimestamp(track: track.first, timescale: track.timescale)?.mpegTicks,
            let end = MediaTimestamp(track: last.end, timescale: track.timescale)?.mpegTicks
        else { throw ExportError.notPacked("a segment has no times") }
        // Rounded up.
        return TrackSpan(
            track: track, first: UInt64(max(0, first + file.initSection.delay)), length: end - first + 1)
    }
}

extension RemuxPlan.AudioVideo {
    fileprivate var audioEnds: [(first: RecordedSegment, last: RecordedSegment)?] {
        var ends = [(first: RecordedSegment, last: RecordedSegment)?](repeating: nil, count: runs.all.count)
        let parts =
            switch audio {
            case .stream(let input): input.runs
            case .fragmented(let file): file.plan.runs
            }
        for segment in parts.lazy.flatMap(\.segments) {
            guard let run = runs.index(beside: segment) else { continue }
            ends[run] = (ends[run]?.first ?? segment, segment)
        }
        return ends
    }
}
