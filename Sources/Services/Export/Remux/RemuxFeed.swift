import MediaFormat
import Processes
import SegmentStore
import Timeline

/// Writes the segments of a plan to ffmpeg, with continuous timestamps.
struct RemuxFeed: Sendable {
    let plan: RemuxPlan
    let store: any SegmentStore
    let index: FragmentIndex

    /// Writes everything, and stops ffmpeg if that fails: an incomplete file must not look complete.
    func run(into program: ChildProgram, _ opening: OpeningTracks?) async {
        do {
            switch plan.media {
            case .one(let input): try await write(input, to: program, absent: opening?.absent ?? [])
            case .audioVideo(let audioVideo):
                let timings = RunTimings(audioVideo, store: store, index: index)
                let feed = AudioVideoFeed(audioVideo: audioVideo, timings: timings, store: store)
                async let video: Void = feed.writeVideo(to: program)
                async let audio: Void = feed.writeAudio(to: program)
                _ = try await (video, audio)
            }
        } catch {
            program.stop()
        }
    }

    /// Writes one rendition; the streams that are `absent` are not in the file and must have no media.
    private func write(
        _ input: RemuxPlan.Input, to program: ChildProgram, absent: Set<UInt16>,
    ) async throws {
        let opener = SegmentOpener(store, input.channel, input.rendition, formats: input.formats)
        if let name = input.initName {
            try await program.write(
                try await store.read(.initialization(input.channel, input.rendition, name)))
        }
        var joiner = TransportStreamJoiner()
        var before: RecordedSegment?
        for segment in input.runs.lazy.flatMap(\.segments) {
            try Task.checkCancellation()
            let reader = try await opener.reader(of: segment)
            joiner.begin(jumps: before.map { segment.jumps(from: $0) } ?? true)
            while let piece = try await reader.next(limit: Limits.pieceByteCount) {
                let bytes = input.container == .transportStream ? joiner.append(piece) : piece
                if !bytes.isEmpty { try await program.write(bytes) }
            }
            let rest = joiner.finish()
            if !rest.isEmpty { try await program.write(rest) }
            try joiner.check()
            guard !joiner.hasUnits(of: absent) else {
                throw ExportError.notPacked("a track begins too late for the file")
            }
            before = segment
        }
        await program.finish()
    }
}

extension TransportStreamJoiner {
    /// Throws where a file of what was joined would not be whole.
    func check() throws(ExportError) {
        guard !hasLeftOutMedia else { throw .notPacked("a segment has a track that the first one lacks") }
    }
}
