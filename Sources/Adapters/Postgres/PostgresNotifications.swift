package import Logging

/// A word that another session sent with NOTIFY.
package struct PostgresNotification: Hashable, Sendable {
    package let channel: String
    package let payload: String
}

/// What a listener hears.
package enum PostgresListenerEvent: Hashable, Sendable {
    /// Listening has begun, the first time or after a loss: what was sent before is not heard, so look for yourself.
    case reconnected
    case notification(PostgresNotification)
}

/// Hears notifications over a connection of its own, for as long as somebody asks for the next one.
///
/// Nothing is buffered here: what nobody takes waits in the server. A lost connection is made again with growing
/// pauses; the sequence ends only when its task is cancelled.
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
                    logger.warning("listening again in \(pause): \(error)")
                    try? await Task.sleep(for: pause)
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
    /// Hears what is sent to the channels; its connection is beside those of the pool.
    package func notifications(channels: [String]) -> PostgresListener {
        PostgresListener(configuration, channels: channels, logger: logger)
    }
}
