import Catalogue
import Timeline

/// One task for each channel, which is replaced when its basis changes.
///
/// A task that takes long to end delays only its successor, never another channel.
struct ChannelSupervisor<Basis: Equatable & Sendable> {
    private struct Worker {
        var basis: Basis
        var task: Task<Void, Never>
    }

    private var workers: [Int32: Worker] = [:]

    init() {}

    /// Whether no channel has work yet.
    var isIdle: Bool { workers.isEmpty }

    /// Sees to it that a channel's work is that of its present basis; returns at once.
    mutating func reconcile(_ channel: Int32, basis: Basis, _ work: @escaping @Sendable () async -> Void) {
        let previous = workers[channel]
        guard previous?.basis != basis else { return }
        previous?.task.cancel()
        workers[channel] = Worker(
            basis: basis,
            task: Task {
                await previous?.task.value
                if !Task.isCancelled { await work() }
            })
    }

    /// Ends all work at once and waits for its end.
    mutating func stop() async {
        let tasks = workers.values.map(\.task)
        workers = [:]
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}

/// The settings of a channel that its recording depends on; only a change of these restarts it.
struct RecordingBasis: Equatable, Sendable {
    private let isRecorded: Bool
    /// A channel that was paused before has nothing to wait for in the journal any more.
    private let isDeleted: Bool
    private let sources: [SourceSettings]
    /// A URL of the same characters in another form is another one.
    private let texts: [[UInt8]]
    private let renditions: RenditionChoice
    private let clock: ClockChoice
    private let encryption: EncryptionChoice

    init(_ channel: Channel) {
        let settings = channel.settings
        isDeleted = channel.isDeleted
        isRecorded = settings.recording && !channel.isDeleted
        sources = settings.sources
        texts = sources.flatMap(\.textBytes)
        (renditions, clock, encryption) = (settings.renditions, settings.clock, settings.encryption)
    }
}
