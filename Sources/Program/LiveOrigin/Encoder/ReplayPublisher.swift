import Foundation
import Synchronization

/// Publishes one channel of a replay.
struct ReplayPublisher {
    let channel: Channel
    var position: ReplayPosition

    /// Does what is due: commands first, then segments in order of time.
    mutating func step(now: Double) throws {
        for command in channel.removeCommands() { execute(command) }
        let end = channel.state.withLock { $0.end }
        if let end {
            guard end.until <= now else { return }
            begin(after: end, now: now)
        }
        guard channel.state.withLock({ $0.stalledUntil <= now }) else { return }
        while true {
            let segments = position.due(at: now)
            guard !segments.isEmpty else { return }
            for segment in segments { try channel.publish(segment, now: now) }
        }
    }

    private mutating func execute(_ command: PublisherCommand) {
        switch command {
        case .restart(let restart):
            position.restart()
            channel.state.withLock { $0.restart(restart) }
        case .end(let until, let restart):
            channel.state.withLock { $0.end = .init(until: until, restart: restart) }
        }
    }

    /// Continues live; the time in between was never published.
    private mutating func begin(after end: ChannelState.End, now: Double) {
        position.skip(to: now)
        if end.restart != nil { position.restart() }
        channel.state.withLock { state in
            state.end = nil
            if let restart = end.restart { state.restart(restart) } else { state.markDiscontinuity() }
        }
    }
}
