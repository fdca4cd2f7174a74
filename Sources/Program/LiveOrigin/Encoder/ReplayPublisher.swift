import Foundation
import Synchronization

/// Publishes one channel of a replay.
struct ReplayPublisher {
    let channel: Channel
    var feed: ReplayFeed

    /// Does what is due: commands first, then segments in the order of time.
    mutating func step(now: Double) throws {
        for command in channel.takeCommands() { obey(command) }
        let end = channel.state.withLock { $0.end }
        if let end {
            guard end.until <= now else { return }
            begin(after: end, now: now)
        }
        guard channel.state.withLock({ $0.stalledUntil <= now }) else { return }
        while true {
            let segments = feed.due(at: now)
            guard !segments.isEmpty else { return }
            for segment in segments { try channel.publish(segment, now: now) }
        }
    }

    private mutating func obey(_ command: FeedCommand) {
        switch command {
        case .restart(let restart):
            feed.restart()
            channel.state.withLock { $0.restart(restart) }
        case .end(let until, let restart):
            channel.state.withLock { $0.end = .init(until: until, restart: restart) }
        }
    }

    /// Live again: what passed meanwhile was never on air.
    private mutating func begin(after end: ChannelState.End, now: Double) {
        feed.skip(to: now)
        if end.restart != nil { feed.restart() }
        channel.state.withLock { state in
            state.end = nil
            if let restart = end.restart { state.restart(restart) } else { state.markDiscontinuity() }
        }
    }
}
