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
        let seen = readingCount
        do {
            try await tools.clock.sleep(for: reloadPause.remaining(at: tools.clock.steady()))
        } catch {
            throw .cancelled
        }
        try await renew(since: seen)
    }

    /// Reads the playlists again, unless they were read after the reading with this number.
    ///
    /// `isRefused`: the source refused the URL of a segment, section or key, which may need a newer token.
    /// Only a reading that asked the multivariant playlist, too, is certain to have it.
    func renew(since readingNumber: Int, isRefused: Bool = false) async throws(DownloadError) {
        let isDone: Void? = try await renewing.withPermit { () async throws(DownloadError) in
            let needsToken = isRefused && isFromMultivariant
            guard needsToken ? readingNumber >= tokenReadingNumber : readingNumber == readingCount else {
                return
            }
            try await reload(isRefused: isRefused)
            if isRefused { tokenReadingNumber = readingCount }
        }
        if isDone == nil { throw .cancelled }
    }

    /// Whether a multivariant playlist names the playlists of the renditions.
    private var isFromMultivariant: Bool {
        multivariant != nil || plans[0].url != (try? request.fullURL())
    }

    /// Reads all playlists again, so that parts get their present URLs and new parts are added.
    ///
    /// The multivariant playlist of a live presentation may give each of its readers other URLs, where not
    /// every segment is known again. So it is read again only if a media playlist is refused or unusable, or
    /// has stalled, and for new tokens, which do not change the paths.
    private func reload(isRefused: Bool) async throws(DownloadError) {
        let previousPause = reloadPause
        reloadPause.begins(at: tools.clock.steady())
        let (before, edge) = (plans.map(\.parts.count), windowHeaders?.span)
        var wanted = plans
        do throws(DownloadError) {
            if isFromMultivariant, !isLive { try await renewAddresses(&wanted) }
            if isFromMultivariant, isLive {
                if isRefused { try? await renewAddresses(&wanted, onlyTokens: true) }
                wanted = await addressesAfterStall() ?? wanted
            }
            try await loadAnywhere(wanted)
        } catch {
            // A reading that was cancelled is still due.
            if error == .cancelled { reloadPause = previousPause }
            throw error
        }
        let isLonger = plans.map(\.parts.count) != before
        if isLonger { stored.hasGrown = true }
        if isLonger || windowHeaders?.span != edge {
            reloadPause.reset()
        } else {
            reloadPause.countUnchanged()
        }
        adjustReloadPause()
        if isLonger { try await writePlaylists(isClosed: false) }
    }

    /// Reads the media playlists of these plans; where a live one cannot be read, at the address that the
    /// multivariant playlist names now.
    ///
    /// A host that does not answer may be withdrawn: the multivariant playlist is then asked again and again.
    private func loadAnywhere(_ previous: [RenditionPlan]) async throws(DownloadError) {
        guard isFromMultivariant, isLive else { return try await load(previous, by: reader) }
        var wanted = previous
        let startedAt = tools.clock.steady()
        while true {
            do throws(DownloadError) {
                return try await load(wanted, by: readerWithoutWaiting)
            } catch .noNetwork {
                guard tools.clock.steady() - startedAt <= retries.networkTimeout else {
                    throw retries.noNetwork("the playlist")
                }
                try await findOtherHosts(&wanted)
            } catch {
                guard error.meansOtherAddress else { throw error }
                try await renewAddresses(&wanted)
                return try await load(wanted, by: reader)
            }
        }
    }

    /// Asks the multivariant playlist for other addresses; waits where it names the same ones, or cannot be
    /// used.
    private func findOtherHosts(_ plans: inout [RenditionPlan]) async throws(DownloadError) {
        let previous = plans.map(\.url)
        do throws(DownloadError) {
            try await renewAddresses(&plans)
        } catch {
            guard error.meansOtherAddress else { throw error }
        }
        guard plans.map(\.url) == previous else { return }
        await networkLost()
        do {
            try await tools.clock.sleep(for: Limits.networkPause)
        } catch {
            throw .cancelled
        }
    }

    /// The addresses that the multivariant playlist of a live presentation names now, if the media playlists
    /// have stalled and other segments are listed there; nil otherwise.
    private func addressesAfterStall() async -> [RenditionPlan]? {
        guard reloadPause.hasStalled else { return nil }
        var others = plans
        guard (try? await renewAddresses(&others)) != nil, others[0].url != plans[0].url,
            let list = try? await reader.mediaPlaylist(others[0].url, imports: others[0].imports).0,
            list.mediaSequence != plans[0].head.mediaSequence
        else { return nil }
        return others
    }

    /// Takes the addresses of the renditions from the multivariant playlist, which may have new tokens.
    ///
    /// With `onlyTokens` an address that differs in more than its query stays.
    private func renewAddresses(
        _ plans: inout [RenditionPlan], onlyTokens: Bool = false,
    ) async throws(DownloadError) {
        let (playlist, base, _) = try await reader.playlist(try request.fullURL())
        guard case .multivariant(let source) = playlist else { return }
        let chosen = try ChosenStreams.choosing(from: source, base: base, for: request)
        for index in plans.indices {
            guard let stream = chosen.streams.first(where: { $0.rendition.id == plans[index].id }),
                !onlyTokens || stream.url.identity == plans[index].url.identity
            else { continue }
            plans[index].url = stream.url
            plans[index].imports = source.variables
        }
    }

    /// Reads the media playlists of these plans, and makes them those of the task.
    func load(_ wanted: [RenditionPlan], by reader: SourceReader) async throws(DownloadError) {
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
        readingCount += 1
        countParts()
    }
}

extension DownloadError {
    /// Whether a playlist cannot be read at its address, though the source answers.
    fileprivate var meansOtherAddress: Bool {
        switch self {
        case .part, .unusable: true
        default: false
        }
    }
}
