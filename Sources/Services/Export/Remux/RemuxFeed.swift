import MediaFormat
import Processes
import SegmentStore
import Timeline

/// Writes the segments of a plan to ffmpeg, with times that go on.
struct RemuxFeed: Sendable {
    let plan: RemuxPlan
    let store: any SegmentStore
    let index: FragmentIndex

    /// Ends ffmpeg where it cannot go on: a file that looks whole must be whole.
    func run(into program: PipedProgram) async {
        do {
            switch plan.media {
            case .one(let input): try await write(input, to: program)
            case .pair(let pair):
                let shifts = RunShifts([pair.picture, pair.sound], runs: pair.ends, index)
                async let picture: Void = write(pair.picture, 0, of: pair, shifts, to: program)
                async let sound: Void = write(pair.sound, 1, of: pair, shifts, to: program)
                _ = try await (picture, sound)
            case .beside(let beside):
                let places = PicturePlaces(beside, store: store, index: index)
                let feed = BesideFeed(beside: beside, places: places, store: store)
                async let picture: Void = feed.writePicture(to: program)
                async let sound: Void = feed.writeSound(to: program)
                _ = try await (picture, sound)
            }
        } catch {
            program.stop()
        }
    }

    private func write(_ input: RemuxPlan.Input, to program: PipedProgram) async throws {
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
            before = segment
        }
        await program.finish()
    }

    /// Writes picture or sound of a pair.
    private func write(
        _ file: FragmentedFile, _ number: Int, of pair: RemuxPlan.Pair, _ shifts: RunShifts,
        to program: PipedProgram,
    ) async throws {
        do {
            let (part, opening) = (file.plan, file.opening)
            try await program.write(opening.bytes, to: number)
            let opener = SegmentOpener(store, part.channel, part.rendition, formats: part.formats)
            var position = UInt64(opening.bytes.count)
            for segment in part.runs.lazy.flatMap(\.segments) {
                try Task.checkCancellation()
                let runs = pair.picture.plan.continuous
                guard let run = number == 0 ? runs.index(of: segment) : runs.index(beside: segment) else {
                    continue
                }
                let ticks = try await shifts.ticks(ofRun: run, rendition: number)
                var rewriter = FragmentRewriter(opening.section, shifts: ticks, position: position)
                let reader = try await opener.reader(of: segment)
                while let piece = try await reader.next(limit: Limits.pieceByteCount) {
                    try await program.write(rewriter.append(piece), to: number)
                }
                try await program.write(rewriter.finish(), to: number)
                guard !rewriter.isOverflowing else { throw ExportError.endedEarly }
                position += UInt64(max(0, segment.plainBytes))
            }
            await program.finish(number)
        } catch {
            // The other one may wait for ffmpeg to read.
            program.stop()
            throw error
        }
    }
}
