import Concurrency
import HLS
import HTTP
import Timeline

/// Reading the playlists of the source.
extension TaskRunner {
    /// Reads the playlists of a live presentation until it is cancelled, and queues new segments beside those
    /// that are being fetched.
    ///
    /// A source lists a segment only for a while, however long another one takes. Errors are not reported
    /// here: the playlists are read once more when all segments are there.
    func readOn() async {
        while isLive, !hasReachedLimit {
            do throws(DownloadError) {
                try await readAgain()
                try await takeNewParts()
            } catch {
                if error == .cancelled { return }
            }
        }
    }

    /// Reads the playlists again when it is time, unless another call does so before.
    func readAgain() async throws(DownloadError) {
        let seen = readings
        do {
            try await tools.clock.sleep(for: reloadPause.remaining(at: tools.clock.steady()))
        } catch {
            throw .cancelled
        }
        try await renew(since: seen)
    }

    /// Reads the playlists again, unless they were read after the reading with this number.
    func renew(since reading: Int) async throws(DownloadError) {
        let isDone: Void? = try await renewing.withPermit { () async throws(DownloadError) in
            guard reading == readings else { return }
            try await reload()
        }
        if isDone == nil { throw .cancelled }
    }

    /// Whether a multivariant playlist names the playlists of the renditions.
    private var isFromMultivariant: Bool {
        multivariant != nil || plans[0].url != (try? request.fullURL())
    }

    /// Reads all playlists again, so that parts get their present URLs and new parts are added.
    ///
    /// The multivariant playlist of a live presentation is read only if another playlist cannot be read.
    /// With other URLs its segments would count as new, and be recorded twice.
    private func reload() async throws(DownloadError) {
        let formerPause = reloadPause
        reloadPause.begins(at: tools.clock.steady())
        let (before, edge) = (plans.map(\.parts.count), windowHeaders?.span)
        var wanted = plans
        do throws(DownloadError) {
            // A live source may give each reader of the multivariant playlist URLs of its own.
            if isFromMultivariant, !isLive { try await renewAddresses(&wanted) }
            do throws(DownloadError) {
                try await load(wanted)
            } catch .part where isFromMultivariant && isLive {
                try await renewAddresses(&wanted)
                try await load(wanted)
            }
        } catch {
            // A reading that was cancelled is still due.
            if error == .cancelled { reloadPause = formerPause }
            throw error
        }
        let isLonger = plans.map(\.parts.count) != before
        if isLonger || windowHeaders?.span != edge {
            reloadPause.reset()
        } else {
            reloadPause.countUnchanged()
        }
        if isLonger { try await writePlaylists(isClosed: false) }
    }

    /// Takes the addresses of the renditions from the multivariant playlist, which may have new tokens.
    private func renewAddresses(_ plans: inout [RenditionPlan]) async throws(DownloadError) {
        let (playlist, base, _) = try await reader.playlist(try request.fullURL())
        guard case .multivariant(let source) = playlist else { return }
        let chosen = try ChosenStreams.choosing(from: source, base: base, for: request)
        for index in plans.indices {
            guard let stream = chosen.streams.first(where: { $0.rendition.id == plans[index].id }) else {
                continue
            }
            plans[index].url = stream.url
            plans[index].imports = source.variables
        }
    }

    /// Reads the media playlists of these plans, and makes them those of the task.
    func load(_ wanted: [RenditionPlan]) async throws(DownloadError) {
        var (wanted, names) = (wanted, keyNames)
        var lines: [[PartNames]] = []
        for index in wanted.indices {
            let (playlist, base, window) = try await reader.mediaPlaylist(
                wanted[index].url, imports: wanted[index].imports)
            // A window that grows is judged when it has ended, by its leading rendition.
            if index == 0, let window { windowHeaders = window }
            lines.append(try wanted[index].take(playlist, base: base, range: request.range, keys: &names))
            if wanted[index].hasOtherContainer {
                throw .conflict("the source has another container than the parts that are there")
            }
        }
        for (plan, lines) in zip(wanted, lines) where !lines.isEmpty {
            try await folder.append(
                try PartsFile.bytes(of: lines), to: PartsFile.name(of: plan.id.description))
        }
        // Parts may have come, or been given up, while playlists were read.
        for index in wanted.indices where index < plans.count {
            wanted[index].markDone(as: plans[index])
        }
        (plans, keyNames) = (wanted, names)
        readings += 1
        countParts()
    }
}
