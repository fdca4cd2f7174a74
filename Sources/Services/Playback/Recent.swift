import Synchronization
import Timeline

/// Remembers values for a short time, so that requests that come together ask the catalogue once.
final class Recent<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let age: Int64
    private let capacity: Int
    private let entries = Mutex<[Key: (value: Value, since: Instant)]>([:])

    /// Values are forgotten after `age` microseconds, and all at once when there are more than `capacity`.
    init(age: Int64, capacity: Int) {
        self.age = age
        self.capacity = capacity
    }

    /// The value, if it was kept lately; a clock that was set back forgets it.
    func value(of key: Key, now: Instant) -> Value? {
        entries.withLock { entries in
            guard let entry = entries[key] else { return nil }
            return (0..<age).contains(now - entry.since) ? entry.value : nil
        }
    }

    func keep(_ value: Value, for key: Key, now: Instant) {
        entries.withLock { entries in
            if entries.count >= capacity && entries[key] == nil { entries.removeAll() }
            entries[key] = (value, now)
        }
    }
}
