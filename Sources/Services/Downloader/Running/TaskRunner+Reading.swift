import Concurrency
import HLS
import HTTP
import Timeline

/// Reading the playlists of the source.
extension TaskRunner {
    /// Reads the playlists again, unless this has been done since a reading.
    func renew(since reading: Int?) async throws(DownloadError) {
        let isDone: Void? = try await renewing.withPermit { () async throws(DownloadError) in
            guard reading.map({ $0 == readings }) ?? true else { return }
            try await reload()
        }
        if isDone == nil { throw .cancelled }
    }

    /// Reads all playlists again, so that parts get their URLs of now and new parts are added.
    func reload() async throws(DownloadError) {
        var plans = plans
        if multivariant != nil || plans[0].url != (try? request.address()) {
            try await renewAddresses(&plans)
        }
        try await load(plans)
    }

    /// Takes the addresses of the renditions from the multivariant playlist, which may have new tokens.
    private func renewAddresses(_ plans: inout [RenditionPlan]) async throws(DownloadError) {
        let (playlist, base, _) = try await reader.playlist(try request.address())
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
        var lines: [[KeptPart]] = []
        for index in wanted.indices {
            let (playlist, base, window) = try await reader.mediaPlaylist(
                wanted[index].url, imports: wanted[index].imports)
            // A window that grows is judged when it has ended, by its leading rendition.
            if index == 0, let window { windowFacts = window }
            lines.append(try wanted[index].take(playlist, base: base, range: request.range, keys: &names))
            if wanted[index].hasOtherContainer {
                throw .otherTask("the source has another container than the parts that are there")
            }
        }
        for (plan, lines) in zip(wanted, lines) where !lines.isEmpty {
            try await folder.append(
                try PartsFile.bytes(of: lines), to: PartsFile.name(of: plan.id.description))
        }
        // Parts may have been stored while playlists were read.
        for index in wanted.indices where index < plans.count {
            for (position, part) in plans[index].parts.enumerated() where part.isDone {
                wanted[index].settle(position, byteCount: part.byteCount)
            }
        }
        (plans, keyNames) = (wanted, names)
        readings += 1
        countParts()
    }
}
