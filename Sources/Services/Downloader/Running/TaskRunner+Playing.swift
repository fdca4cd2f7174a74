import HLS
import Timeline

/// What a player gets of a task that runs.
extension TaskRunner {
    /// Whether it is known what the presentation has.
    var isPlanned: Bool { !plans.isEmpty }

    /// A playlist of the whole presentation, also with what is not there yet; nil where there is none.
    ///
    /// `isKnown` of the answer is false while the playlists of the source are being read.
    func playlist(_ name: String) -> (isKnown: Bool, bytes: [UInt8]?) {
        guard isPlanned else { return (false, nil) }
        if name == "index.m3u8", let playlist = localMultivariant(isClosed: false) {
            return (true, playlist.writtenBytes())
        }
        let plan =
            multivariant == nil
            ? (name == "index.m3u8" ? plans[0] : nil)
            : plans.first {
                name == "\($0.id).m3u8"
            }
        guard let plan else { return (true, nil) }
        var playlist = plan.localPlaylist(isClear: storesClear, isClosed: plan.isEnded, listsMissing: true)
        // Players begin a presentation that has not ended near its end (RFC 8216 §6.3.3).
        if !plan.isEnded, playlist.start == nil { playlist.start = StartPoint(offsetMicroseconds: 0) }
        return (true, playlist.writtenBytes())
    }

    /// Requests a missing part for a player: it is fetched before all others from now on.
    ///
    /// Nil if the part is there, or does not belong to this task.
    func demand(_ file: String) -> PartProgress? {
        guard let index = index(of: file), !plans[index.plan].parts[index.part].isSettled else { return nil }
        playingPosition = position(index)
        let progress = progress(of: file)
        guard progress.demand() else { return progress }
        tools.gate.enter(progress)
        if let urgentParts, let waiting = waitingParts.firstIndex(of: index) {
            waitingParts.remove(at: waiting)
            urgentParts.yield(index)
        }
        return progress
    }

    /// Whether a key or section of the presentation has this name.
    func isNeeded(_ name: String) -> Bool {
        plans.contains { plan in
            plan.parts.contains { part in
                part.names.initSection.map { "\(plan.id)/\($0)" == name } == true
                    || [part.names.key, part.initSection?.keyName].contains { key in
                        key.map { "keys/\($0)" == name } == true
                    }
            }
        }
    }

    /// Notes where the player is, so that what follows is fetched first.
    func played(_ file: String) {
        guard let index = index(of: file) else { return }
        playingPosition = position(index)
    }

    func progress(of file: String) -> PartProgress {
        if let progress = progresses[file] { return progress }
        let progress = PartProgress(clock: tools.clock)
        progresses[file] = progress
        return progress
    }

    /// A transfer has ended, well or not.
    func ended(_ file: String, _ progress: PartProgress) {
        progress.finish(.failed)
        progresses[file] = nil
        tools.gate.leave(progress)
    }

    /// The task does not run any more: nothing comes for those who wait.
    func endAllProgress() {
        for (file, progress) in progresses { ended(file, progress) }
    }

    private func index(of file: String) -> PartIndex? {
        guard let slash = file.firstIndex(of: "/"),
            let plan = plans.firstIndex(where: { $0.id.description == file[..<slash] })
        else { return nil }
        let name = file[file.index(after: slash)...]
        return plans[plan].parts.firstIndex { $0.names.file == name }.map { PartIndex(plan: plan, part: $0) }
    }
}
