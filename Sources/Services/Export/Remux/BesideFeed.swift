import MediaFormat
import Processes
import SegmentStore
import Timeline

/// Writes a picture and the sound beside it to ffmpeg, at the same time.
struct BesideFeed: Sendable {
    let beside: RemuxPlan.Beside
    let places: PicturePlaces
    let store: any SegmentStore

    func writePicture(to program: PipedProgram) async throws {
        try await ending(program, 0) {
            switch beside.picture {
            case .stream(let input): try await write(input, to: program)
            case .fragmented(let file): try await write(file, to: program)
            }
        }
    }

    func writeSound(to program: PipedProgram) async throws {
        try await ending(program, 1) {
            let input = beside.sound
            let opener = try await opener(input, program, 1)
            var joiner = TransportStreamJoiner()
            var packets = PackedAudioPackets()
            for segment in input.runs.lazy.flatMap(\.segments) {
                for run in beside.runs.indices(overlapping: segment) {
                    try Task.checkCancellation()
                    let place = try await places.place(ofRun: run)
                    joiner.begin(movedBy: place.ticks, keeping: place.range)
                    // Where a packed segment does not say its time, the catalogue has it.
                    let distance = (segment.start - beside.runs.all[run].first.start) * 9 / 100
                    packets.begin(at: place.first &+ UInt64(bitPattern: distance))
                    let isPacked = input.container != .transportStream
                    let reader = try await opener.reader(of: segment)
                    while let piece = try await reader.next(limit: Limits.pieceByteCount) {
                        try await program.write(
                            joiner.append(isPacked ? packets.append(piece) : piece), to: 1)
                    }
                    let rest = isPacked ? joiner.append(packets.finish()) : []
                    try await program.write(rest + joiner.finish(), to: 1)
                }
            }
        }
    }

    private func write(_ input: RemuxPlan.Input, to program: PipedProgram) async throws {
        let opener = try await opener(input, program, 0)
        var joiner = TransportStreamJoiner()
        for segment in input.runs.lazy.flatMap(\.segments) {
            try Task.checkCancellation()
            let place = try await places.place(ofRun: beside.runs.index(of: segment))
            joiner.begin(movedBy: place.ticks)
            let reader = try await opener.reader(of: segment)
            while let piece = try await reader.next(limit: Limits.pieceByteCount) {
                try await program.write(joiner.append(piece), to: 0)
            }
            try await program.write(joiner.finish(), to: 0)
        }
    }

    private func write(_ file: FragmentedFile, to program: PipedProgram) async throws {
        let (plan, opening) = (file.plan, file.opening)
        try await program.write(opening.bytes, to: 0)
        let opener = SegmentOpener(store, plan.channel, plan.rendition, formats: plan.formats)
        var position = UInt64(opening.bytes.count)
        for segment in plan.runs.lazy.flatMap(\.segments) {
            try Task.checkCancellation()
            let place = try await places.place(ofRun: plan.continuous.index(of: segment))
            var rewriter = FragmentRewriter(
                opening.section, shifts: place.shifts(of: opening.section), position: position)
            let reader = try await opener.reader(of: segment)
            while let piece = try await reader.next(limit: Limits.pieceByteCount) {
                try await program.write(rewriter.append(piece), to: 0)
            }
            try await program.write(rewriter.finish(), to: 0)
            guard !rewriter.isOverflowing else { throw ExportError.endedEarly }
            position += UInt64(max(0, segment.plainBytes))
        }
    }

    /// Reads the segments of a transport stream or of packed audio, once their tables are written.
    private func opener(
        _ input: RemuxPlan.Input, _ program: PipedProgram, _ number: Int,
    ) async throws -> SegmentOpener {
        if let name = input.initName {
            let tables = try await store.read(.initialization(input.channel, input.rendition, name))
            try await program.write(tables, to: number)
        }
        return SegmentOpener(store, input.channel, input.rendition, formats: input.formats)
    }

    /// Ends a stream when everything is written, and ffmpeg where that fails: it may wait for the other
    /// stream.
    private func ending(
        _ program: PipedProgram, _ number: Int, _ write: () async throws -> Void,
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

extension PicturePlaces.Place {
    /// What is added to the times of each track of fMP4.
    func shifts(of section: InitSection) -> [UInt32: Int64] {
        guard let track else { return [:] }
        var shifts: [UInt32: Int64] = [:]
        for other in section.tracks where other.timescale > 0 {
            let scale = Int64(other.timescale)
            let begin = range.lowerBound / 90_000 * scale + range.lowerBound % 90_000 * scale / 90_000
            let first = track.first.multipliedFullWidth(by: UInt64(other.timescale))
            guard first.high < UInt64(track.timescale) else { continue }
            let scaled = UInt64(track.timescale).dividingFullWidth(first).quotient
            shifts[UInt32(clamping: other.description.id)] = begin - Int64(clamping: scaled)
        }
        return shifts
    }
}
