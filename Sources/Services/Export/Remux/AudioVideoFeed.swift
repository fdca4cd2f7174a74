import MediaFormat
import Processes
import SegmentStore
import Timeline

/// Writes a video and the audio beside it to ffmpeg, at the same time.
struct AudioVideoFeed: Sendable {
    let audioVideo: RemuxPlan.AudioVideo
    let timings: RunTimings
    let store: any SegmentStore

    func writeVideo(to program: ChildProgram) async throws {
        try await ending(program, 0) {
            switch audioVideo.video {
            case .stream(let input): try await writeVideo(input, to: program)
            case .fragmented(let file):
                try await write(file, to: program, 0) { segment in
                    let timing = try await timings.timing(ofRun: audioVideo.runs.index(of: segment))
                    return try timing.videoShifts(of: file.initSection.section)
                }
            }
        }
    }

    func writeAudio(to program: ChildProgram) async throws {
        try await ending(program, 1) {
            switch audioVideo.audio {
            case .stream(let input): try await writeAudio(input, to: program)
            case .fragmented(let file):
                try await write(file, to: program, 1) { segment in
                    guard let run = audioVideo.runs.index(beside: segment) else { return nil }
                    return try await timings.timing(ofRun: run).audioShifts(of: file.initSection.section)
                }
            }
        }
    }

    private func writeVideo(_ input: RemuxPlan.Input, to program: ChildProgram) async throws {
        let opener = try await opener(input, program, 0)
        var joiner = TransportStreamJoiner()
        for segment in input.runs.lazy.flatMap(\.segments) {
            try Task.checkCancellation()
            let timing = try await timings.timing(ofRun: audioVideo.runs.index(of: segment))
            joiner.begin(movedBy: timing.ticks)
            let reader = try await opener.reader(of: segment)
            while let piece = try await reader.next(limit: Limits.pieceByteCount) {
                try await program.write(joiner.append(piece), to: 0)
            }
            try await program.write(joiner.finish(), to: 0)
            try joiner.check()
        }
    }

    /// Writes a transport stream or packed audio, cut to the video.
    private func writeAudio(_ input: RemuxPlan.Input, to program: ChildProgram) async throws {
        let opener = try await opener(input, program, 1)
        var joiner = TransportStreamJoiner()
        var packets = PackedAudioMuxer()
        for segment in input.runs.lazy.flatMap(\.segments) {
            for run in audioVideo.runs.indices(overlapping: segment) {
                try Task.checkCancellation()
                let timing = try await timings.timing(ofRun: run)
                joiner.begin(movedBy: timing.audioTicks, keeping: timing.range)
                // Where a packed segment does not say its time, the catalogue has it.
                packets.begin(at: audioVideo.runs.all[run].time(of: segment, timing.first))
                let isPacked = input.container != .transportStream
                let reader = try await opener.reader(of: segment)
                while let piece = try await reader.next(limit: Limits.pieceByteCount) {
                    try await program.write(joiner.append(isPacked ? packets.append(piece) : piece), to: 1)
                }
                let rest = isPacked ? joiner.append(packets.finish()) : []
                try await program.write(rest + joiner.finish(), to: 1)
                try joiner.check()
            }
        }
    }

    /// Writes the segments of fMP4 for which `shifts` has what is added to the times of each track.
    private func write(
        _ file: FragmentedFile, to program: ChildProgram, _ number: Int,
        shifts: (RecordedSegment) async throws -> [UInt32: Int64]?,
    ) async throws {
        let (plan, initSection) = (file.plan, file.initSection)
        try await program.write(initSection.bytesWithoutDelay, to: number)
        let opener = SegmentOpener(store, plan.channel, plan.rendition, formats: plan.formats)
        var position = UInt64(initSection.bytes.count)
        for segment in plan.runs.lazy.flatMap(\.segments) {
            try Task.checkCancellation()
            guard let shifts = try await shifts(segment) else { continue }
            var rewriter = FragmentRewriter(
                initSection.section, shifts: shifts, position: position, byteCount: segment.plainByteCount)
            let reader = try await opener.reader(of: segment)
            while let piece = try await reader.next(limit: Limits.pieceByteCount) {
                try await program.write(rewriter.append(piece), to: number)
            }
            try await program.write(rewriter.finish(), to: number)
            guard !rewriter.isOverflowing else { throw ExportError.endedEarly }
            position += segment.plainByteCount
        }
    }

    /// Reads the segments of a transport stream or of packed audio, once their tables are written.
    private func opener(
        _ input: RemuxPlan.Input, _ program: ChildProgram, _ number: Int,
    ) async throws -> SegmentOpener {
        if let name = input.initName {
            let tables = try await store.read(.initialization(input.channel, input.rendition, name))
            try await program.write(tables, to: number)
        }
        return SegmentOpener(store, input.channel, input.rendition, formats: input.formats)
    }

    /// Writes a stream and ends it; if that fails, stops ffmpeg, which may be waiting for the other stream.
    private func ending(
        _ program: ChildProgram, _ number: Int, _ write: () async throws -> Void,
    ) async throws {
        do {
            try await write()
            await program.finish(number)
        } catch {
            program.stop()
            throw error
        }
    }
}

extension RunTimings.Timing {
    /// What is added to the times of each track of a video in fMP4.
    func videoShifts(of section: InitSection) throws(ExportError) -> [UInt32: Int64] {
        guard let track else { return [:] }
        return try section.shifts(from: track, to: range.lowerBound)
    }

    /// What is added to the times of each track of audio in fMP4; nil where the run has none.
    func audioShifts(of section: InitSection) throws(ExportError) -> [UInt32: Int64]? {
        guard let audio else { return nil }
        return try section.shifts(from: audio.track, to: audio.range.lowerBound)
    }
}

extension InitSection {
    /// What is added to the times of all tracks to move the begin of one of them to a time of 90 kHz.
    ///
    /// Throws if a time needs more than 64 bits in the timescale of a track.
    fileprivate func shifts(
        from track: FragmentRewriter.TrackTimes, to ticks: Int64,
    ) throws(ExportError) -> [UInt32: Int64] {
        var shifts: [UInt32: Int64] = [:]
        for other in tracks where other.timescale > 0 {
            let scale = Int64(other.timescale)
            let begin = ticks / 90_000 * scale + ticks % 90_000 * scale / 90_000
            let first = track.first.multipliedFullWidth(by: UInt64(other.timescale))
            guard first.high < UInt64(track.timescale) else { throw Self.tooLong }
            let scaled = UInt64(track.timescale).dividingFullWidth(first).quotient
            let (shift, overflow) = begin.subtractingReportingOverflow(Int64(clamping: scaled))
            guard !overflow else { throw Self.tooLong }
            shifts[UInt32(clamping: other.description.id)] = shift
        }
        return shifts
    }

    private static let tooLong = ExportError.notPacked("a time needs more than 64 bits")
}
