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
    let startedAt: ContinuousClock.Instant
    let deadline: ContinuousClock.Instant

    init(
        url: RequestURL, options: TransferOptions, session: SessionContext, channel: TransferChannel,
        startedAt: ContinuousClock.Instant,
    ) {
        self.url = url
        self.options = options
        self.session = session
        self.channel = channel
        self.startedAt = startedAt
        deadline = startedAt.advanced(by: .milliseconds(options.totalTimeout.boundedMilliseconds))
    }

    var id: TransferID { channel.id }
}

/// One request of a transfer: the first, or the one after a redirect.
struct Attempt {
    var url: RequestURL
    /// Redirects followed so far.
    var redirects = 0
    /// Whether a new connection is required.
    var isFresh: Bool
}
