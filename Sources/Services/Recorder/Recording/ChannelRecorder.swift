import Concurrency
import Timeline

/// Records one channel under one lease: tells `RecordingState` what happens, and has done what it decides.
actor ChannelRecorder {
    private var state: RecordingState
    private let runner: ActionRunner
    private let clock: HostClock
    private let events = AsyncStream.makeStream(of: RecordingEvent.self)
    /// The one wait that the state has asked for.
    private var timer: Task<Void, Never>?

    init(_ state: RecordingState, runner: ActionRunner, clock: HostClock) {
        self.state = state
        self.runner = runner
        self.clock = clock
    }

    /// Records until the task is cancelled or the state ends it; downloads under way are finished within
    /// limits.
    ///
    /// The work is not cancelled with the task: what is under way would end at once.
    func run() async -> RecordingEnding {
        let work = Task { await record() }
        return await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            events.continuation.yield(.stopRequested)
        }
    }

    private func record() async -> RecordingEnding {
        events.continuation.yield(.started)
        defer { timer?.cancel() }
        // Downloads are cancelled apart from the rest: their facts are still written.
        return await withDiscardingTaskGroup { fetches in
            await withDiscardingTaskGroup { others in
                for await event in events.stream {
                    let moment = Moment(date: clock.now(), steady: clock.steady())
                    for action in state.handle(event, at: moment) {
                        if case .end(let ending) = action {
                            fetches.cancelAll()
                            others.cancelAll()
                            return ending
                        }
                        perform(action, &fetches, &others)
                    }
                }
                return .stopped
            }
        }
    }

    private func perform(
        _ action: RecordingAction, _ fetches: inout DiscardingTaskGroup, _ others: inout DiscardingTaskGroup,
    ) {
        switch action {
        case .wait(let time):
            timer?.cancel()
            timer = Task { [clock, events] in
                try? await clock.sleep(until: time)
                if !Task.isCancelled { events.continuation.yield(.clockAdvanced) }
            }
        case .cancelFetches: fetches.cancelAll()
        case .publishStatus, .log: runner.tell(action)
        case .fetchPlaylist, .fetchSegment, .probeSegment, .openPendingSegment: run(action, in: &fetches)
        default: run(action, in: &others)
        }
    }

    private func run(_ action: RecordingAction, in group: inout DiscardingTaskGroup) {
        group.addTask { [runner, events] in
            if let event = await runner.perform(action) { events.continuation.yield(event) }
        }
    }
}
