import Concurrency
import Downloader
import HTTP
import JSON
import Synchronization

extension DownloadAPI {
    /// All tasks, and then each change, as server-sent events.
    func events() -> HTTPResponse {
        guard let permit = followers.take() else {
            return Problem(.serviceUnavailable, "too many clients follow the events")
                .retryable(afterSeconds: Limits.retrySeconds).answer
        }
        let headers: HTTPHeaders = [
            "Content-Type": "text/event-stream", "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        ]
        let source = TaskEvents(manager.follow(), permit, clock: clock)
        return HTTPResponse(status: .ok, headers: headers, body: .stream(length: nil, source))
    }
}

/// The text of the events, as long as a client reads it.
final class TaskEvents: HTTPBodySource {
    private let follower: TaskFollower
    private let permit: FollowerPermit
    private let clock: HostClock
    private let hasBegun = Atomic(false)

    init(_ follower: TaskFollower, _ permit: FollowerPermit, clock: HostClock) {
        self.follower = follower
        self.permit = permit
        self.clock = clock
    }

    deinit { follower.leave() }

    func next(limit: Int) async throws -> [UInt8]? {
        if !hasBegun.exchange(true, ordering: .relaxed) { return Array("retry: 1000\n\n".utf8) }
        let change = await follower.next(within: Limits.heartbeat, by: clock)
        try Task.checkCancellation()
        switch change {
        case nil: return Array(":\n\n".utf8)
        case .task(let task)?: return Self.event("task", task.json)
        case .removed(let id)?: return Self.event("removed", ["id": .string(id)])
        }
    }

    /// JSON is written without line breaks, which would end the data.
    private static func event(_ name: String, _ data: JSONValue) -> [UInt8] {
        Array("event: \(name)\ndata: ".utf8) + data.bytes + Array("\n\n".utf8)
    }
}

/// Counts the clients that follow the events.
final class FollowerCount: Sendable {
    private let count = Atomic(0)

    /// A permit, which is given back with its owner; nil when all are taken.
    func take() -> FollowerPermit? {
        let taken = count.wrappingAdd(1, ordering: .relaxed).newValue
        let permit = FollowerPermit(self)
        return taken <= Limits.followers ? permit : nil
    }

    fileprivate func giveBack() {
        count.wrappingSubtract(1, ordering: .relaxed)
    }
}

final class FollowerPermit: Sendable {
    private let owner: FollowerCount

    init(_ owner: FollowerCount) {
        self.owner = owner
    }

    deinit { owner.giveBack() }
}
