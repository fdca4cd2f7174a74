import Synchronization
package import Timeline

/// The statuses of the channels that this process records: recorders write them, the API and the metrics read
/// them.
///
/// A channel that another process records is not on the board. Every call returns at once, on any thread.
package final class StatusBoard: Sendable {
    private let statuses = Mutex<[ChannelID: ChannelStatus]>([:])

    package init() {}

    package func status(of channel: ChannelID) -> ChannelStatus? {
        statuses.withLock { $0[channel] }
    }

    package var all: [ChannelID: ChannelStatus] {
        statuses.withLock { $0 }
    }

    /// Replaces a channel's status; nil takes the channel off the board.
    package func set(_ status: ChannelStatus?, of channel: ChannelID) {
        statuses.withLock { $0[channel] = status }
    }
}
