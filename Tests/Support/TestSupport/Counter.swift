import Synchronization

/// A number that several tasks or threads count and tests read.
package final class Counter: Sendable {
    private let number = Mutex(0)

    package init() {}

    package var value: Int { number.withLock { $0 } }

    /// Adds one, and returns the sum.
    @discardableResult
    package func add() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }

    package func set(_ value: Int) {
        number.withLock { $0 = value }
    }
}
