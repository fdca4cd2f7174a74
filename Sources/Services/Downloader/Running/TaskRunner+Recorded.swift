import HLS
import MediaFormat
import Timeline

/// Packs the parts of an earlier process whose playlists are closed, without the source.
///
/// A live source would only add more parts, and a finished one may no longer exist.
extension TaskRunner {
    /// Packs what is whole in the folder; false where something is left to fetch.
    func packRecorded() async throws(DownloadError) -> Bool {
        guard stored.isOnlyToPack == true, request.format != .folder, request.range == nil,
            try await takeRecorded()
        else {
            stored.isOnlyToPack = nil
            return false
        }
        try await change(.prepared)
        try checkPacking()
        try await pack()
        return true
    }

    /// Takes the parts that the folder's playlists list; false where one of them is not there.
    private func takeRecorded() async throws(DownloadError) -> Bool {
        let ids = stored.task.renditions.map(\.id)
        guard let (master, names) = try await recordedMultivariantPlaylist(of: ids), !ids.isEmpty else {
            return false
        }
        var found: [RenditionPlan] = []
        for (id, name) in zip(ids, names) {
            let kept = try await keptParts(of: id)
            guard let recorded = try? await recordedParts(of: id, in: name), !kept.isEmpty else {
                return false
            }
            var plan = RenditionPlan(
                id: id, url: try request.fullURL(), kept: kept, recorded: .success(recorded))
            guard plan.takeAllRecorded() else { return false }
            found.append(plan)
        }
        (plans, multivariant) = (found, master)
        try await countStoredParts()
        try await fetchSections()
        return true
    }

    /// The multivariant playlist of the folder, if there is one, and the names of the others; nil where it
    /// cannot be read.
    private func recordedMultivariantPlaylist(
        of ids: [RenditionID]
    ) async throws(DownloadError) -> (MultivariantPlaylist?, names: [String])? {
        let index = "index.m3u8"
        guard ids.count > 1 else { return (nil, [index]) }
        guard let bytes = try await folder.read(index, upTo: ReadingLimits.standard.byteCount),
            case .multivariant(let playlist)? = try? Playlist.reading(bytes).playlist
        else { return nil }
        return (playlist, ids.map { "\($0).m3u8" })
    }
}
