import Concurrency

/// The number of a transfer within its client; never reused.
struct TransferID: Hashable, Sendable {
    let rawValue: UInt
}

/// The number of a session within its client; never reused.
struct SessionID: Hashable, Sendable {
    let rawValue: UInt
}

/// A transfer as requested.
final class TransferJob: Sendable {
    let url: RequestURL
    let options: TransferOptions
    let session: SessionContext
    let channel: TransferChannel
    /// When the transfer was requested.
    let requestedAt: SteadyInstant

    init(
        url: RequestURL, options: TransferOptions, session: SessionContext, channel: TransferChannel,
        requestedAt: SteadyInstant,
    ) {
        self.url = url
        self.options = options
        self.session = session
        self.channel = channel
        self.requestedAt = requestedAt
    }

    var id: TransferID { channel.id }

    /// What waits in the queue.
    var entry: TransferQueue.Entry {
        TransferQueue.Entry(
            id: id, session: session.id, origin: url.origin, priority: options.priority,
            source: session.options.source, sourceLimit: session.options.maxConnections,
            deadline: requestedAt + .milliseconds(options.queueTimeout.boundedMilliseconds))
    }

    /// The first request of a transfer that begins now.
    func firstAttempt(at now: SteadyInstant) -> Attempt {
        Attempt(
            url: url, firstRequestAt: now, isFresh: options.freshConnection,
            deadline: now + .milliseconds(options.totalTimeout.boundedMilliseconds))
    }
}

/// One request of a transfer: the first, or the one after a redirect.
struct Attempt {
    var url: RequestURL
    /// When the first request of the transfer was made.
    let firstRequestAt: SteadyInstant
    /// Redirects followed so far.
    var redirects = 0
    /// Whether a new connection is required.
    var isFresh: Bool
    /// When the whole transfer has to be complete.
    var deadline: SteadyInstant
}
