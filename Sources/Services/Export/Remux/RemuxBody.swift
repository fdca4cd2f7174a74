import HTTP
import Processes

/// A window that ffmpeg packs while it is sent.
package actor RemuxBody: HTTPBodySource {
    private let plan: RemuxPlan
    private let feed: RemuxFeed
    private let permit: RemuxPermit?
    private let ffmpeg: String
    private var program: ChildProgram?
    private var feeding: Task<Void, Never>?
    /// Bytes that were read before the answer began.
    private var firstBytes: [UInt8] = []

    init(plan: RemuxPlan, feed: RemuxFeed, permit: RemuxPermit?, ffmpeg: String) {
        (self.plan, self.feed, self.permit, self.ffmpeg) = (plan, feed, permit, ffmpeg)
    }

    /// Ends ffmpeg: the viewer has left, or has received everything.
    deinit {
        feeding?.cancel()
        program?.stop()
    }

    /// Waits for the first bytes, so that a window that cannot be packed is answered as a failure.
    package func prepare() async throws(ExportError) {
        do {
            guard let bytes = try await next(limit: Limits.pieceByteCount) else {
                throw ExportError.notPacked("it has neither video nor audio")
            }
            firstBytes = bytes
        } catch let error as ExportError {
            throw error
        } catch ProgramFailure.missing(let name) {
            throw .noFFmpeg(missing: name)
        } catch let error as ProgramFailure where error.isShortage {
            throw .unstartable("\(error)")
        } catch {
            throw .notPacked("\(error)")
        }
    }

    package func next(limit: Int) async throws -> [UInt8]? {
        if !firstBytes.isEmpty {
            let piece = Array(firstBytes.prefix(limit))
            firstBytes.removeFirst(piece.count)
            return piece
        }
        let program = try await running()
        return try await withTaskCancellationHandler {
            try await program.read(limit: limit)
        } onCancel: {
            program.stop()
        }
    }

    /// The number of the process that runs.
    var process: Int32? { program?.process }

    private func running() async throws -> ChildProgram {
        if let program { return program }
        let opening = try await feed.openingTracks()
        let started = try await ChildProgram.start(
            ffmpeg, plan.arguments(opening), inputs: plan.inputCount, bounds: Limits.packing)
        program = started
        feeding = Task { [feed] in await feed.run(into: started, opening) }
        return started
    }
}
