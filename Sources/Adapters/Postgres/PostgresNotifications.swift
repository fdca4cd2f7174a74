import Concurrency
package import Logging

/// A notification that another session sent with NOTIFY.
package struct PostgresNotification: Hashable, Sendable {
    package let channel: String
    package let payload: String
}

/// An event of a listener.
package enum PostgresListenerEvent: Hashable, Sendable {
    /// Listening has started, initially or after a loss: earlier notifications are missing, so read the state
    /// yourself.
    case reconnected
    case notification(PostgresNotification)
}

/// Receives notifications over a connection of its own while the next one is requested.
///
/// Nothing is buffered here: unread notifications wait in the server. A lost connection is opened again after
/// increasing pauses; the sequence ends only when its task is cancelled.
package struct PostgresListener: AsyncSequence, Sendable {
    package typealias Element = PostgresListenerEvent
    package typealias Failure = Never

    private let configuration: PoolConfiguration
    private let channels: [String]
    private let logger: Logger

    package init(_ configuration: PoolConfiguration, channels: [String], logger: Logger) {
        self.configuration = configuration
        self.channels = channels
        self.logger = logger
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(configuration: configuration, channels: channels, logger: logger)
    }

    /// Connects, listens and waits, one event at a time.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let configuration: PoolConfiguration
        fileprivate let channels: [String]
        fileprivate let logger: Logger
        private var connection: Connection?
        private var pause = Limits.reconnectPause.first

        fileprivate init(configuration: PoolConfiguration, channels: [String], logger: Logger) {
            self.configuration = configuration
            self.channels = channels
            self.logger = logger
        }

        package mutating func next() async -> PostgresListenerEvent? {
            while !Task.isCancelled {
                do throws(PostgresError) {
                    return try await nextEvent()
                } catch {
                    connection = nil
                    if error.isCancelled { return nil }
                    logger.warning("Listening again in \(pause)", metadata: ["error": "\(error)"])
                    try? await configuration.clock.sleep(for: pause)
                    pause = Swift.min(pause * 2, Limits.reconnectPause.longest)
                }
            }
            return nil
        }

        private mutating func nextEvent() async throws(PostgresError) -> PostgresListenerEvent {
            if let connection {
                let heard = try await connection.interruptible { (interruption) async throws(PostgresError) in
                    try await connection.nextNotification(interruption)
                }
                return .notification(heard)
            }
            let (opened, channels) = (try Connection(configuration, logger: logger), channels)
            try await opened.interruptible { (interruption) async throws(PostgresError) in
                try await opened.listen(to: channels, interruption)
            }
            connection = opened
            pause = Limits.reconnectPause.first
            return .reconnected
        }
    }
}

extension PostgresPool {
    /// Listens to these channels, on a connection outside the pool.
    package func notifications(channels: [String]) -> PostgresListener {
        PostgresListener(configuration, channels: channels, logger: logger)
    }
}
