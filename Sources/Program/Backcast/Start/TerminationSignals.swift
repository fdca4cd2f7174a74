import Dispatch
import Glibc
import Synchronization
import Telemetry

/// SIGTERM and SIGINT: the first signal stops the process cleanly, the second ends it at once with status 1.
///
/// A stop that takes longer than `Limits.stoppingSeconds` is forced too, unless `isForced` is false.
enum TerminationSignals {
    /// Runs the body and cancels its task at the first signal; returns or throws as the body does.
    ///
    /// Without `isForced` a long stop, such as packing a recording, is only ended by a second signal.
    static func cancelling(
        isForced: Bool = true, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let (registrations, registration) = AsyncStream<Void>.makeStream()
        let sources = watch(isForced: isForced, registered: { registration.yield() }) { arrival.yield() }
        defer { for source in sources { source.cancel() } }
        // A signal that comes before its source is registered is lost.
        for await _ in registrations.prefix(sources.count) {}
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await body() }
            group.addTask { for await _ in arrivals { return } }
            try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    private static func watch(
        isForced: Bool, registered: @escaping @Sendable () -> Void, _ arrived: @escaping @Sendable () -> Void,
    ) -> [any DispatchSourceSignal] {
        let queue = DispatchQueue(label: "backcast.signals")
        let count = SignalCount()
        return [SIGTERM, SIGINT].map { number in
            _ = signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                guard count.next() == 1 else { _exit(EXIT_FAILURE) }
                if isForced {
                    queue.asyncAfter(deadline: .now() + .seconds(Limits.stoppingSeconds)) {
                        LogOutput.standardError.flush()
                        _exit(EXIT_FAILURE)
                    }
                }
                arrived()
            }
            source.setRegistrationHandler { registered() }
            source.resume()
            return source
        }
    }
}

/// Counts the signals.
private final class SignalCount: Sendable {
    private let count = Atomic(0)

    func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
}
