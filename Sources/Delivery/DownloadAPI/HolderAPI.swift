package import Concurrency
import Downloader
import Foundation
package import HTTP
import JSON

/// The HTTP interface of the process that holds a folder, for other processes of the same user.
///
/// It is reached over the socket in the folder. It has what `DownloadAPI` has, tasks with every option of the
/// command line, and the URL of the page.
package final class HolderAPI: HTTPHandler {
    private let downloads: DownloadAPI
    private let page: String?
    private let clock: HostClock

    /// `page` is the URL of the page of this process; nil for one that has none.
    package init(_ downloads: DownloadAPI, page: String?, clock: HostClock) {
        self.downloads = downloads
        self.page = page
        self.clock = clock
    }

    package func admitBody(of request: HTTPRequest) -> HTTPBodyAdmission {
        request.path == HolderPath.tasks ? .upTo(Limits.handedBytes) : downloads.admitBody(of: request)
    }

    package func answer(_ request: HTTPRequest) -> HTTPAnswer {
        switch (request.path, request.method) {
        case (HolderPath.page, .get): .now(.json(["page": page.map { JSONValue.string($0) } ?? .null]))
        case (HolderPath.tasks, .post): .later { await self.take(request) }
        case (HolderPath.tasks, .get):
            .now(
                HTTPResponse(
                    status: .ok, headers: ["Content-Type": "application/jsonl"],
                    body: .stream(length: nil, TaskLines(downloads.manager.follow(), clock: clock))))
        default: downloads.answer(request)
        }
    }

    /// Takes a task from another process; a paused or failed task continues.
    private func take(_ request: HTTPRequest) async -> HTTPResponse {
        do {
            let wanted = try JSONDecoder().decode(DownloadRequest.self, from: Data(request.body))
            let task = try await downloads.manager.addOrResume(wanted)
            let headers: HTTPHeaders = ["Content-Type": MediaType.json.fieldValue]
            return HTTPResponse(
                status: .ok, headers: headers, body: .bytes(Array(try JSONEncoder().encode(task))))
        } catch DownloadError.invalidState(let reason) {
            // The request is valid: the other process waits and then runs the task itself.
            return Problem(.serviceUnavailable, reason).answer
        } catch let error as DownloadError {
            return Problem(error).answer
        } catch {
            return Problem(.badRequest, "the request cannot be read").answer
        }
    }
}

/// The paths that only the socket in the folder has.
package enum HolderPath {
    package static let page = "/holder"
    package static let tasks = "/holder/tasks"
}

/// All tasks and then each change, one JSON document per line; an empty line after `Limits.heartbeat` without
/// a change.
///
/// A removed task is the line `{"removed": id}`. Earlier versions skip every line that is not a task.
private final class TaskLines: HTTPBodySource {
    private let follower: TaskFollower
    private let clock: HostClock

    init(_ follower: TaskFollower, clock: HostClock) {
        self.follower = follower
        self.clock = clock
    }

    deinit { follower.leave() }

    func next(limit: Int) async throws -> [UInt8]? {
        let change = await follower.next(within: Limits.heartbeat, by: clock)
        try Task.checkCancellation()
        let line: Data
        switch change {
        case .task(let task): line = try JSONEncoder().encode(task)
        case .removed(let id): line = try JSONEncoder().encode(["removed": id])
        case nil: line = Data()
        }
        return Array(line) + [0x0A]
    }
}
