import Concurrency
import Processes
package import SegmentStore
import Timeline

/// Makes JPEG pictures of recorded key frames; safe to share between tasks.
///
/// Each is decoded by a process of ffmpeg that reads from a stream and writes to one: it opens no file and no
/// connection, and its processor time and memory are bounded.
package final class PictureMaker: Sendable {
    private let reader: KeyFrameReader
    private let turns: AsyncSemaphore
    private let work = SharedWork<WantedPicture, [UInt8], PictureError>()
    private let cache = PictureCache()
    private let program: String

    /// Runs at most `processes` decoders at once; a few requests more wait for their turn.
    package init(store: any SegmentStore, processes: Int, program: String = "ffmpeg") {
        reader = KeyFrameReader(store: store)
        turns = AsyncSemaphore(permits: processes, waiters: Limits.waitingPictures)
        self.program = program
    }

    /// Throws if the host has no decoder; looks on the disk each time, because one may be installed later.
    package func checkDecoder() throws(PictureError) {
        if let missing = ProgramFile.missing(toRun: program) { throw .noDecoder(missing: missing) }
    }

    /// How many bytes a picture has; nil if it was never made here, or too long ago.
    package func knownByteCount(of wanted: WantedPicture) -> Int? { cache.byteCount(of: wanted) }

    /// A picture, made once for all who ask for the same meanwhile.
    package func picture(_ wanted: WantedPicture) async throws(PictureError) -> [UInt8] {
        if let known = cache.picture(wanted) { return known }
        return try await work.value(of: wanted) { () async throws(PictureError) in
            let made = try await self.turns.withPermit { () async throws(PictureError) in
                // Another request may have made it meanwhile.
                if let known = self.cache.picture(wanted) { return known }
                let made = try await self.make(wanted)
                self.cache.keep(made, for: wanted)
                return made
            }
            guard let made else { throw .busy }
            return made
        }
    }

    private func make(_ wanted: WantedPicture) async throws(PictureError) -> [UInt8] {
        let bytes = try await reader.bytes(of: wanted)
        do throws(ProgramFailure) {
            return try await decode(bytes, Self.arguments(for: wanted))
        } catch {
            if case .missing(let name) = error { throw .noDecoder(missing: name) }
            throw error.isShortage ? .unavailable(error) : .decoder(error)
        }
    }

    private func decode(_ bytes: [UInt8], _ arguments: [String]) async throws(ProgramFailure) -> [UInt8] {
        let bounds = ProgramBounds(cpuSeconds: Limits.decoderSeconds, memoryBytes: Limits.decoderByteCount)
        let decoder = try await ChildProgram.start(program, arguments, bounds: bounds)
        defer { decoder.stop() }
        // A decoder that has its picture may read no further.
        let feeding = Task {
            try? await decoder.write(bytes)
            await decoder.finish()
        }
        defer { feeding.cancel() }
        let outcome = await withTaskCancellationHandler {
            await Result(of: { () async throws(ProgramFailure) in try await Self.output(of: decoder) })
        } onCancel: {
            decoder.stop()
        }
        if Task.isCancelled { throw .cancelled }
        let picture = try outcome.get()
        guard !picture.isEmpty, picture.count <= Limits.pictureByteCount else {
            throw .failed(program, status: 0, message: "the decoder wrote no picture")
        }
        return picture
    }

    /// What a decoder writes, until it ends or has written more than a picture may have.
    private static func output(of decoder: ChildProgram) async throws(ProgramFailure) -> [UInt8] {
        var picture: [UInt8] = []
        while let piece = try await decoder.read(limit: Limits.pieceByteCount) {
            picture += piece
            if picture.count > Limits.pictureByteCount { break }
        }
        return picture
    }

    /// The picture is shown with square pixels, and never larger than it was recorded; all sizes are even.
    static func arguments(for wanted: WantedPicture) -> [String] {
        let recorded = "trunc(iw*sar/2)*2"
        let width = wanted.width.map { "min(\($0 / 2 * 2)\\,\(recorded))" } ?? recorded
        let size = "scale=w='max(2\\,\(width))':h='max(2\\,trunc(ow/dar/2)*2)',setsar=1"
        return [
            "-v", "error", "-protocol_whitelist", "pipe", "-threads", "1", "-skip_frame", "nointra", "-f",
            wanted.format.container == .transportStream ? "mpegts" : "mov", "-i", "pipe:0", "-map", "0:v:0",
            "-frames:v", "1", "-vf", size, "-pix_fmt", "yuvj420p", "-threads", "1", "-c:v", "mjpeg", "-q:v",
            "4", "-f", "image2pipe", "pipe:1",
        ]
    }
}
