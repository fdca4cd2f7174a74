import Concurrency
import HLS
import HTTP
import HTTPClient
import MediaFormat
import Timeline

/// Carries out one task: from its URL to a folder that plays.
actor TaskRunner {
    var stored: StoredTask
    /// The task as its folder has it; nil for a new one.
    private let original: StoredTask?
    let folder: TaskFolder
    let tools: DownloadTools
    let session: HTTPSession
    var plans: [RenditionPlan] = []
    var keyNames = KeyNames()
    var sections: [String: InitSection] = [:]
    var keys: [String: [UInt8]] = [:]
    /// What `index.m3u8` says when there are several renditions.
    var multivariant: MultivariantPlaylist?
    /// What a Backcast service says of the window that is taken.
    var windowHeaders: WindowHeaders?
    /// Parts that are being fetched or that a player waits for, by file.
    var progresses: [String: PartProgress] = [:]
    /// The single media file, while it is fetched.
    var growingFile: GrowingFile?
    /// Parts of which the folder has the beginning.
    var begunParts: Set<String> = []
    /// Segments that no transfer has taken yet, in the order in which they play.
    var waitingParts: ArraySlice<PartIndex> = []
    /// For each plan, how many of its parts were given to the transfers or are stored.
    var takenCounts: [Int] = []
    /// How many segments are being fetched.
    var underWay = 0
    /// Transfers that have nothing to do wait for these; finished when there may be work again.
    var idle: [AsyncStream<Void>.Continuation] = []
    /// Takes segments that go before the others, while segments are fetched.
    var urgentParts: AsyncStream<PartIndex>.Continuation?
    /// Where the player is, seconds.
    var playingPosition = 0.0
    /// Why the calling task is cancelled.
    var stopReason = StopReason.pause
    /// Whether a picture was made, or cannot be made.
    var hasTriedPicture = false
    /// Counts how often the playlists were read.
    var readingCount = 0
    /// The last reading that asked the multivariant playlist for newer tokens.
    var tokenReadingNumber = 0
    let renewing = AsyncSemaphore(permits: 1)
    let askingForKeys = AsyncSemaphore(permits: 1)
    /// When the playlists of a presentation that has not ended are read again.
    var reloadPause = ReloadPause(targetSeconds: 0)
    private let report: @Sendable (DownloadTask) -> Void
    private var meter: SpeedMeter
    private var reportedAt: SteadyInstant?
    private var savedAt: SteadyInstant?
    private var isSaving = false
    private var isWriting = false
    /// Callers that wait until they may write the task's files.
    private var writers: [CheckedContinuation<Void, Never>] = []

    init(
        _ stored: StoredTask, original: StoredTask?, folder: TaskFolder, tools: DownloadTools,
        report: @escaping @Sendable (DownloadTask) -> Void,
    ) throws(DownloadError) {
        self.stored = stored
        self.original = original
        self.folder = folder
        self.tools = tools
        self.report = report
        session = try tools.session(for: stored.request)
        meter = SpeedMeter(now: tools.clock.steady())
    }

    var request: DownloadRequest { stored.request }

    /// Whether segments are stored without their encryption.
    var storesClear: Bool { request.storesClear }

    /// Runs the task as far as possible, and returns its last state.
    ///
    /// Throws only if the source is not the one of the stored task, whose folder then stays as it was.
    func run() async throws(DownloadError) -> DownloadTask {
        defer {
            session.close()
            endAllProgress()
        }
        do throws(DownloadError) {
            try await change(.started)
            try await carryOut()
            try await change(.finished)
        } catch {
            if error.isRefusal, let original {
                stored = original
                try await save()
                throw error
            }
            await end(because: error)
        }
        return stored.task
    }

    private func carryOut() async throws(DownloadError) {
        if request.format != .folder, let name = stored.task.file,
            try await folder.lengths(in: ".").keys.contains(name)
        {
            try await change(.prepared)
            return try await removeParts()
        }
        // The file of an earlier process is not there any more.
        if request.format != .folder { stored.task.file = nil }
        if try await packRecorded() { return }
        var request = self.request
        let source = try await reader.open(&request)
        if stored.request != request {
            stored.request = request
            // Saved before any part: a growing window has other segment numbers than a finished one.
            try await save()
        }
        switch source {
        case .file: try await downloadFile()
        case .playlist(let playlist, let base, let headers):
            windowHeaders = headers
            try await downloadPresentation(playlist, base: base)
        }
    }

    /// Ends the task after an error; a live recording that is paused is completed with what it has.
    ///
    /// One with much missing within it is only paused, and so is a growing window: the rest is still
    /// available when the task continues.
    private func end(because error: DownloadError) async {
        do throws(DownloadError) {
            let isRecording = isLive && !isOnDemand && request.begin == nil
            if error == .cancelled, stopReason == .pause, isRecording, isClosable {
                // The task may be waiting for the network, or may only have read its playlists.
                try await change(.prepared)
                try await closeLive()
                if request.format != .folder { try await packDespiteStop() }
                return try await change(.finished)
            }
            if hasPlaylists { try await writePlaylists(isClosed: false) }
            stop(because: error)
            try await save()
        } catch {
            stop(because: error)
            // On a full disk, drafts are removed to make room for the state.
            for plan in plans { try? await folder.removeDrafts(in: plan.id.description) }
            try? await save()
            if hasPlaylists { try? await writePlaylists(isClosed: false) }
        }
        report(stored.task)
    }

    /// Whether the folder has playlists; the single file that was asked for replaces them.
    private var hasPlaylists: Bool {
        !plans.isEmpty && (request.format == .folder || stored.task.file == nil)
    }

    /// Packs although the task of the caller is cancelled.
    private func packDespiteStop() async throws(DownloadError) {
        try checkPacking()
        do {
            try await withCancellationShield(by: tools.clock) { try await self.pack() }
        } catch let error as DownloadError {
            throw error
        } catch {
            throw .unusable("the segments cannot be packed: \(error)")
        }
    }

    private func stop(because error: DownloadError) {
        guard error == .cancelled, let event = stopReason.event else {
            return stored.task.stop(because: error, at: tools.clock.now())
        }
        stored.task.apply(event, at: tools.clock.now())
    }

    /// Sets why the calling task will be cancelled.
    func willStop(_ reason: StopReason) {
        stopReason = reason
    }
}

/// Why a task is stopped.
enum StopReason: Sendable {
    /// Completes a live recording with what it has; pauses any other task, also a growing window.
    case pause
    case cancel
    /// The process ends; the next one goes on.
    case interrupt

    /// The event of the task; nil for the usual one.
    fileprivate var event: TaskEvent? {
        switch self {
        case .pause: nil
        case .cancel: .canceled
        case .interrupt: .interrupted
        }
    }
}

extension TaskRunner {
    var retries: Retries {
        Retries(
            clock: tools.clock, networkTimeout: tools.options.networkTimeout,
            network: NetworkWatch(
                lost: { await self.networkLost() }, returned: { await self.networkReturned() },
                received: { await self.received($0) }))
    }

    var reader: SourceReader { SourceReader(session: session, retries: retries) }

    /// A reader that does not wait for a network.
    var readerWithoutWaiting: SourceReader {
        var retries = retries
        retries.networkTimeout = .zero
        return SourceReader(session: session, retries: retries)
    }

    var fetcher: PartFetcher {
        PartFetcher(
            session: session, folder: folder, transfers: tools.transfers, gate: tools.gate,
            rateLimiter: tools.rateLimiter, retries: retries)
    }

    /// Changes the state, keeps it and reports it.
    func change(_ event: TaskEvent) async throws(DownloadError) {
        let previous = stored.task
        guard stored.task.apply(event, at: tools.clock.now()) else { return }
        do throws(DownloadError) {
            try await save()
        } catch {
            // What is not stored as completed is paused, and can be resumed.
            if stored.task.state == .completed {
                (stored.task.state, stored.task.finished) = (previous.state, previous.finished)
            }
            throw error
        }
        report(stored.task)
    }

    /// Writes the task's file.
    func save() async throws(DownloadError) {
        await beginWriting()
        defer { endWriting() }
        try await folder.replaceTask(stored)
    }

    /// Waits for other calls that write files of the task, because all use the same drafts.
    func beginWriting() async {
        while isWriting { await withCheckedContinuation { writers.append($0) } }
        isWriting = true
    }

    func endWriting() {
        isWriting = false
        if !writers.isEmpty { writers.removeFirst().resume() }
    }

    /// Stores the progress every few seconds, so that it is known after a kill.
    func saveProgress() async throws(DownloadError) {
        let now = tools.clock.steady()
        if isSaving || savedAt.map({ now - $0 < Limits.savePause }) ?? false { return }
        (savedAt, isSaving) = (now, true)
        defer { isSaving = false }
        try await writePlaylists(isClosed: false)
        try await save()
    }

    func show() { report(stored.task) }

    /// Reports progress, not more often than a person can read.
    func reportProgress() {
        let now = tools.clock.steady()
        if let reportedAt, now - reportedAt < Limits.reportPause { return }
        reportedAt = now
        stored.task.speedBytesPerSecond = meter.speed(at: now)
        report(stored.task)
    }

    func networkLost() async {
        try? await change(.networkLost)
    }

    private func networkReturned() async {
        guard stored.task.state == .waitingForNetwork else { return }
        try? await change(plans.isEmpty && growingFile == nil ? .started : .prepared)
    }

    private func received(_ byteCount: Int64) {
        stored.task.bytes = max(0, stored.task.bytes + byteCount)
        meter.received(byteCount)
        if let total = stored.file?.total, total > 0, plans.isEmpty {
            stored.task.progress = min(1, Double(stored.task.bytes) / Double(total))
        }
        reportProgress()
    }
}

/// Measures bytes per second over the last seconds.
struct SpeedMeter: Sendable {
    private var byteCount: Int64 = 0
    private var samples: [(at: SteadyInstant, byteCount: Int64)]

    init(now: SteadyInstant) {
        samples = [(now, 0)]
    }

    mutating func received(_ byteCount: Int64) {
        self.byteCount += byteCount
    }

    mutating func speed(at now: SteadyInstant) -> Int64 {
        samples.append((now, byteCount))
        if samples.count > 10 { samples.removeFirst() }
        let (first, last) = (samples[0], samples[samples.count - 1])
        let time = (last.at - first.at) / .milliseconds(1)
        return time > 0 ? max(0, Int64(Double(last.byteCount - first.byteCount) * 1000 / time)) : 0
    }
}
