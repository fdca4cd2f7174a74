import Concurrency
import HLS
import HTTP
import MediaFormat
import Timeline

extension TaskRunner {
    /// Whether the presentation has not ended at its source.
    var isLive: Bool { !plans.isEmpty && plans.contains { !$0.isEnded } }

    /// Whether the source says that the presentation does not change, and it has not done so.
    ///
    /// A playlist of type VOD does not change (RFC 8216 §4.3.3.5), but some grow all the same.
    var isOnDemand: Bool { isTyped && stored.hasGrown != true }

    /// Whether each playlist has ended or is of type VOD.
    private var isTyped: Bool { plans.allSatisfy { $0.isEnded || $0.head.type == .videoOnDemand } }

    /// Downloads a playlist with everything that it lists.
    func downloadPresentation(_ playlist: Playlist, base: HTTPURL) async throws(DownloadError) {
        let startedAt = tools.clock.steady()
        try await prepare(playlist, base: base)
        reloadPause = ReloadPause(targetSeconds: targetSeconds, startedAt: startedAt)
        adjustReloadPause()
        try await change(.prepared)
        try await writePlaylists(isClosed: false)
        while true {
            try await fetchMissingParts()
            // Where the playlists were read meanwhile, they may list more.
            guard isSettled else { continue }
            guard isLive, !hasReachedLimit, !hasStopped else { break }
            try await readAgain()
            if try isWhole() { break }
        }
        await finishPicture()
        try await closeLive()
        if request.format != .folder { try await pack() }
    }

    /// Whether nothing more comes although a playlist has no end.
    ///
    /// A playlist of type VOD that has grown, or a rendition that has less than an ended leading one, may
    /// only have stalled, and gets more time.
    private var hasStopped: Bool {
        let patience = Duration.seconds(3 * targetSeconds)
        guard reloadPause.unchangedDuration >= patience else { return false }
        if isOnDemand { return true }
        guard isTyped || plans[0].isEnded else { return false }
        let end = plans[0].seconds - Double(3 * targetSeconds)
        if plans[0].isEnded, plans.allSatisfy({ $0.isEnded || $0.seconds >= end }) { return true }
        return reloadPause.unchangedDuration >= Limits.windowStallTimeout
    }

    /// Whether a window without an end is final; throws when it stands still for too long.
    private func isWhole() throws(DownloadError) -> Bool {
        guard request.begin != nil, reloadPause.unchangedDuration >= Limits.windowStallTimeout else {
            return false
        }
        if windowHeaders?.isFinal == true { return true }
        let minutes = Limits.windowStallTimeout.components.seconds / 60
        throw .unfinished("its channel has published nothing for \(minutes) min")
    }

    /// Reads the playlists, chooses renditions, and gives everything its name.
    private func prepare(_ playlist: Playlist, base: HTTPURL) async throws(DownloadError) {
        switch playlist {
        case .media:
            // A media playlist names no languages, so a request for one is refused here.
            _ = try request.audio.chosen(from: [], what: "audio")
            _ = try request.subtitles.chosen(from: [], what: "subtitles")
            let id = RenditionID(kind: .video, index: 0)
            let stream = ChosenStreams.Stream(rendition: TaskRendition(id: id), url: try request.fullURL())
            try await begin(ChosenStreams(streams: [stream], playlist: MultivariantPlaylist()))
        case .multivariant(let source):
            let chosen = try ChosenStreams.choosing(from: source, base: base, for: request)
            if chosen.streams.count > 1 { multivariant = chosen.playlist }
            try await begin(chosen, imports: source.variables)
        }
        if plans.allSatisfy({ $0.parts.isEmpty && $0.isEnded }) {
            throw .unusable(
                request.range == nil
                    ? "the playlist lists no segments" : "the range lies outside of the presentation")
        }
        if request.format != .folder { try checkPacking() }
    }

    private func begin(
        _ chosen: ChosenStreams, imports: [String: String] = [:]
    ) async throws(DownloadError) {
        let streams = chosen.streams
        try await folder.make(streams.map(\.rendition.id.description))
        var begun: [RenditionPlan] = []
        for stream in streams {
            let id = stream.rendition.id
            let kept = try await keptParts(of: id)
            let recorded = await Result { () async throws(DownloadError) in
                kept.isEmpty ? nil : try await recordedParts(of: id, in: playlistName(of: id))
            }
            var plan = RenditionPlan(id: id, url: stream.url, kept: kept, recorded: recorded)
            plan.imports = imports
            if streams.count == 1 { plan.multivariant = chosen.playlist }
            begun.append(plan)
        }
        // The list of parts does not name the key of an initialization section.
        let keyFiles = try await folder.lengths(in: "keys").keys
        keyNames = KeyNames(kept: begun.flatMap { $0.keptKeys } + keyFiles)
        let known = stored.task.renditions
        stored.task.renditions = streams.map { stream in
            var rendition = stream.rendition
            rendition.content = rendition.content ?? known.first { $0.id == rendition.id }?.content
            return rendition
        }
        try await load(begun, by: reader)
        // It may have grown while no process followed it.
        if plans.contains(where: { $0.hasKept && $0.parts.count > $0.kept.count }) { stored.hasGrown = true }
        for plan in plans where plan.isPackedAudio { setKind(.audio, of: plan.id) }
        try await countStoredParts()
    }

    func keptParts(of id: RenditionID) async throws(DownloadError) -> [PartNames] {
        let name = PartsFile.name(of: id.description)
        guard let bytes = try await folder.readWhole(name, upTo: Limits.partsFileBytes) else { return [] }
        let (parts, isWhole) = PartsFile.reading(bytes)
        if !isWhole { try await folder.replace(name, with: try PartsFile.bytes(of: parts)) }
        return parts
    }

    /// What a playlist of the folder lists; nil when there is none.
    func recordedParts(of id: RenditionID, in name: String) async throws(DownloadError) -> RecordedParts? {
        let limits = Limits.ownPlaylist
        guard let bytes = try await folder.readWhole(name, upTo: limits.byteCount) else { return nil }
        let playlist: Playlist
        do {
            playlist = try Playlist.reading(bytes, limits: limits).playlist
        } catch {
            throw .folder("\(folder.path)/\(name) cannot be read: \(error)")
        }
        guard case .media(let media) = playlist else {
            throw .folder("\(folder.path)/\(name) cannot be read: it is a multivariant playlist")
        }
        return RecordedParts(media, files: Set(try await folder.lengths(in: id.description).keys))
    }

    private func playlistName(of id: RenditionID) -> String {
        multivariant == nil ? "index.m3u8" : "\(id).m3u8"
    }

    /// Counts the parts whose files are in the folder: what has its name is whole.
    func countStoredParts() async throws(DownloadError) {
        var bytes: Int64 = 0
        for index in plans.indices {
            let lengths = try await folder.lengths(in: plans[index].id.description)
            begunParts.formUnion(try await folder.partsWithRecord(in: plans[index].id.description))
            for (position, part) in plans[index].parts.enumerated() {
                guard let length = lengths[part.names.file] else { continue }
                plans[index].markDone(position, byteCount: length)
                bytes += length
            }
        }
        stored.task.bytes = bytes
        countParts()
    }

    func countParts() {
        stored.task.segmentsTotal = plans.reduce(0) { $0 + $1.parts.count }
        stored.task.segmentsDone = plans.reduce(0) { $0 + $1.settledCount }
        stored.task.durationSeconds = plans.map(\.seconds).max() ?? 0
        let total = plans.reduce(0) { $0 + $1.seconds }
        let done = plans.reduce(0) { $0 + $1.settledSeconds }
        let isFinal = stored.task.segmentsDone == stored.task.segmentsTotal && !isLive
        stored.task.progress = isFinal ? 1 : total > 0 ? min(done / total, 0.999) : 0
    }

    /// Writes the playlists of the folder.
    func writePlaylists(isClosed: Bool) async throws(DownloadError) {
        await beginWriting()
        defer { endWriting() }
        for plan in plans {
            let media = plan.localPlaylist(isClear: storesClear, isClosed: isClosed)
            try await folder.replace(playlistName(of: plan.id), with: media.writtenBytes())
        }
        if let playlist = localMultivariant(isClosed: isClosed) {
            try await folder.replace("index.m3u8", with: playlist.writtenBytes())
        }
    }

    /// The multivariant playlist for the folder; nil with one rendition.
    func localMultivariant(isClosed: Bool) -> MultivariantPlaylist? {
        guard var playlist = multivariant else { return nil }
        playlist.start = plans[0].localStart(playlist.start, isClosed: isClosed)
        return playlist
    }

    /// Seconds from the first segment that are taken; nil for all.
    var liveLimit: Double? { request.limit }

    var hasReachedLimit: Bool {
        guard let liveLimit else { return false }
        return plans.allSatisfy { $0.seconds >= liveLimit }
    }

    /// Adjusts the pause between two readings to what the playlists list now.
    func adjustReloadPause() {
        reloadPause.take(targetSeconds: targetSeconds, plans.compactMap(\.listedTime))
    }

    private var targetSeconds: Int { plans.compactMap(\.head.targetDurationSeconds).max() ?? 6 }
}
