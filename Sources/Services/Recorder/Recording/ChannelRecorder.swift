import Concurrency
import Logging
import Timeline

/// Does what `RecordingState` decides.
protocol ActionPerforming: Sendable {
    /// Publishes a status or writes a log line; returns at once.
    func report(_ action: RecordingAction)
    /// Performs one action and returns the event that answers it; nil if none does.
    func perform(_ action: RecordingAction) async -> RecordingEvent?
}

/// Records one channel under one lease: passes events to `RecordingState` and has its actions performed.
actor ChannelRecorder {
    /// How a recording ended, and what it was still to fetch.
    struct Result: Sendable {
        var ending: RecordingEnding
        var unfinished: [SegmentRequest]
    }

    private struct RunningAction {
        var task: Task<Void, Never>
        var isFetch: Bool
    }

    private var state: RecordingState
    private let performer: any ActionPerforming
    private let clock: HostClock
    private let logger: Logger
    private let events = AsyncStream.makeStream(of: RecordingEvent.self)
    /// The one wait that the state has asked for.
    private var timer: Task<Void, Never>?
    /// What is under way, by its number.
    private var runningActions: [Int: RunningAction] = [:]
    private var actionCount = 0
    /// Waits until nothing is under way.
    private var idle: CheckedContinuation<Void, Never>?

    init(_ state: RecordingState, performer: any ActionPerforming, clock: HostClock, logger: Logger) {
        self.state = state
        self.performer = performer
        self.clock = clock
        self.logger = logger
    }

    /// Records until the task is cancelled or the state ends it; downloads under way are finished within
    /// limits.
    ///
    /// Cancelling the task does not cancel the work, because running downloads would end at once.
    func run() async -> Result {
        let work = Task { await record() }
        return await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            events.continuation.yield(.stopRequested)
        }
    }

    private func record() async -> Result {
        events.continuation.yield(.started)
        var ending = RecordingEnding.stopped
        recording: for await event in events.stream {
            let moment = Moment(clock)
            for action in state.handle(event, at: moment) {
                if case .end(let end) = action {
                    ending = end
                    break recording
                }
                perform(action)
            }
        }
        timer?.cancel()
        await cancelActions()
        return Result(ending: ending, unfinished: state.unfinished)
    }

    private func perform(_ action: RecordingAction) {
        switch action {
        case .wait(let time):
            timer?.cancel()
            timer = Task { [clock, events] in
                try? await clock.sleep(until: time)
                if !Task.isCancelled { events.continuation.yield(.clockAdvanced) }
            }
        case .cancelFetches: for work in runningActions.values where work.isFetch { work.task.cancel() }
        case .publishStatus, .log: performer.report(action)
        case .fetchPlaylist, .fetchSegment, .probeSegment, .openPendingSegment: begin(action, isFetch: true)
        // Downloads are cancelled apart from the rest: their facts are still written.
        default: begin(action, isFetch: false)
        }
    }

    private func begin(_ action: RecordingAction, isFetch: Bool) {
        actionCount += 1
        let number = actionCount
        let task = Task { [performer, events] in
            if let event = await performer.perform(action) { events.continuation.yield(event) }
            ended(number)
        }
        runningActions[number] = RunningAction(task: task, isFetch: isFetch)
    }

    private func ended(_ number: Int) {
        runningActions[number] = nil
        if runningActions.isEmpty { stopWaiting() }
    }

    /// Cancels the running work and waits for its end, for a limited time: a write to a disk that does
    /// not answer cannot be cancelled, and must not keep the channel from being recorded.
    private func cancelActions() async {
        for work in runningActions.values { work.task.cancel() }
        guard !runningActions.isEmpty else { return }
        let limit = Task { [clock] in
            try? await clock.sleep(for: Limits.abandonment)
            stopWaiting()
        }
        await withCheckedContinuation { idle = $0 }
        limit.cancel()
        guard !runningActions.isEmpty else { return }
        logger.error(
            "Tasks of a recording did not end in time and are abandoned",
            metadata: ["count": "\(runningActions.count)"])
    }

    private func stopWaiting() {
        idle?.resume()
        idle = nil
    }
}
