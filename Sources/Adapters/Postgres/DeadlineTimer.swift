import Dispatch

/// Runs an action once after a time, on a thread of Dispatch, unless it is cancelled before.
struct DeadlineTimer {
    private let source: any DispatchSourceTimer

    init(after time: Duration, _ action: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeTimerSource(queue: .global())
        source.schedule(deadline: .now() + .milliseconds(Int(time.wholeMilliseconds)))
        source.setEventHandler(handler: action)
        source.activate()
    }

    /// Releases the action, which will not run any more.
    func cancel() { source.cancel() }
}
