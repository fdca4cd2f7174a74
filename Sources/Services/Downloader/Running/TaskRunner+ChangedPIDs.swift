import MediaFormat
import Processes
import Timeline

/// The packing of a transport stream whose PIDs change, which ffmpeg does not follow in a playlist.
extension TaskRunner {
    /// The rendition whose segments do not all have the same PIDs; nil where all renditions keep theirs.
    func planWithChangedPIDs() async throws(DownloadError) -> RenditionPlan? {
        let media = plans.filter { $0.id.kind != .subtitles }
        for plan in media where try await changesPIDs(plan) {
            guard media.count == 1 else {
                throw .unusable(
                    "the PIDs of \(plan.id) change, and there are renditions beside it; take a folder")
            }
            return plan
        }
        return nil
    }

    private func changesPIDs(_ plan: RenditionPlan) async throws(DownloadError) -> Bool {
        var rewriter = PIDRewriter()
        for part in plan.parts where part.isDone {
            guard part.names.file.hasSuffix(".ts"), part.initSection == nil else { return false }
            if Task.isCancelled { throw .cancelled }
            rewriter.begin()
            let bytes = try await folder.read("\(plan.id)/\(part.names.file)", upTo: Limits.probedBytes)
            _ = rewriter.append(bytes ?? []) + rewriter.finish()
            if rewriter.isRewriting { return true }
        }
        return false
    }

    /// Runs ffmpeg, which reads a rendition from a pipe with the PIDs of its first segment.
    func runFFmpeg(_ arguments: [String], reading plan: RenditionPlan) async throws {
        let program = try await ChildProgram.start(
            "ffmpeg", arguments, in: folder.path, bounds: Limits.packing)
        defer { program.stop() }
        try await withTaskCancellationHandler {
            try await write(plan, to: program)
            while try await program.read(limit: Limits.joinedPieceBytes) != nil {}
        } onCancel: {
            program.stop()
        }
    }

    /// Writes the segments, whose file must not look whole where a track of them is left out.
    private func write(_ plan: RenditionPlan, to program: ChildProgram) async throws {
        var rewriter = PIDRewriter()
        for part in plan.parts where part.isDone {
            let name = "\(plan.id)/\(part.names.file)"
            var offset: Int64 = 0
            rewriter.begin()
            while true {
                let piece = try await folder.piece(of: name, at: offset)
                if piece.isEmpty { break }
                offset += Int64(piece.count)
                try await program.write(rewriter.append(piece))
            }
            try await program.write(rewriter.finish())
            guard !rewriter.hasLeftOutMedia else {
                throw DownloadError.unusable(
                    "\(name) has a track that the first segment lacks; take a folder")
            }
        }
        await program.finish()
    }
}
