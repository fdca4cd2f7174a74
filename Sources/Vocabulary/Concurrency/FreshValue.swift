import Synchronization

/// A value that is read once for all who wait for it, and used again while it is fresh.
package final class FreshValue<Value: Sendable, Failure: Error>: Sendable {
    private struct Known {
        var value: Value
        var asOf: SteadyInstant
    }

    /// The only key of the shared reads: there is one value.
    private enum Read: Hashable, Sendable {
        case value
    }

    private let clock: HostClock
    private let age: Duration
    private let read: @Sendable () async throws(Failure) -> Value
    private let known = Mutex<Known?>(nil)
    private let reads = SharedWork<Read, Value, Failure>()

    /// The value is fresh for `age` after the start of the `read` that returned it.
    package init(
        clock: HostClock, age: Duration, read: @escaping @Sendable () async throws(Failure) -> Value,
    ) {
        (self.clock, self.age, self.read) = (clock, age, read)
    }

    /// The fresh value, if necessary after a read; throws the error of the read.
    package func value() async throws(Failure) -> Value {
        if let recent { return recent }
        return try await reads.value(of: .value) { () async throws(Failure) in
            // Another read may have finished in the meantime.
            if let recent = self.recent { return recent }
            let asked = self.clock.steady()
            let value = try await self.read()
            // When all callers have left, the read was cancelled, and its result may be incomplete.
            if !Task.isCancelled { self.known.withLock { $0 = Known(value: value, asOf: asked) } }
            return value
        }
    }

    /// The value while it is fresh.
    package var recent: Value? {
        let now = clock.steady()
        return known.withLock { known in
            guard let known, now - known.asOf < age else { return nil }
            return known.value
        }
    }

    /// The value of the last successful read, however old it is.
    package var last: Value? { known.withLock { $0?.value } }
}
