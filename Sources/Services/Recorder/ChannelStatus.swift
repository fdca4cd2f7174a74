import Synchronization
package import Timeline

/// What a recorder says of one channel right now.
package struct ChannelStatus: Sendable, Equatable {
    package enum State: String, Sendable {
        case recording
        case waiting
        case stalled
        case paused
        case ended
    }

    package var state: State
    /// What is wrong, in words; nil when nothing is.
    package var detail: String?
    package var liveEdge: Instant?
    /// The source in use, without user info and query.
    package var sourceURL: String?
    package var sourcePriority: Int?
    package var acceptsInvalidCertificate = false
    package var clock: String
    /// Source date less arrival, seconds; nil without dates.
    package var clockOffsetSeconds: Double?
    package var renditions: [RenditionStatus]
    /// When this process took the channel: counts start there.
    package var since: Instant

    package init(state: State, since: Instant) {
        self.state = state
        self.since = since
        clock = "arrival"
        renditions = []
    }
}

package struct RenditionStatus: Sendable, Equatable {
    package var id: RenditionID
    /// Start of the newest stored segment.
    package var lastSegment: Instant?
    package var bitsPerSecond: Int64
    package var seen: Int
    package var stored: Int
    package var lost: [GapReason: Int]
    /// Bytes stored.
    package var bytes: Int64
}

/// The statuses of all channels that this process records; written by recorders, read by the API and metrics.
package final class StatusBoard: Sendable {
    private let statuses = Mutex<[ChannelID: ChannelStatus]>([:])

    package init() {}

    package func status(of channel: ChannelID) -> ChannelStatus? {
        statuses.withLock { $0[channel] }
    }

    package var all: [ChannelID: ChannelStatus] {
        statuses.withLock { $0 }
    }

    func set(_ status: ChannelStatus?, of channel: ChannelID) {
        statuses.withLock { $0[channel] = status }
    }
}
