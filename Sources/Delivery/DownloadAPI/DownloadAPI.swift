package import Concurrency
package import Downloader
package import HTTP
import JSON

/// The server of `backcast play`: a page, an interface for programs, and the media of the tasks.
package final class DownloadAPI: HTTPHandler {
    let manager: DownloadManager
    let clock: HostClock
    let followers = FollowerCount()
    private let access: RequestAccess
    private let page: PageFiles

    /// `host` is the address on which the server listens, `hlsScript` the script hls.js, if it is installed.
    package init(manager: DownloadManager, host: String, hlsScript: [UInt8]?, clock: HostClock) {
        self.manager = manager
        self.clock = clock
        access = RequestAccess(host: host)
        page = PageFiles(hlsScript: hlsScript)
    }

    /// A request that is refused is refused before its body is read.
    package func admitBody(of request: HTTPRequest) -> HTTPBodyAdmission {
        do throws(Problem) {
            _ = try admit(request)
            return .upTo(Limits.bodyBytes)
        } catch {
            return .refused(error.answer)
        }
    }

    package func answer(_ request: HTTPRequest) -> HTTPAnswer {
        do throws(Problem) {
            return answer(request, to: try admit(request))
        } catch {
            return .now(error.answer)
        }
    }

    /// The route of a request that may be answered.
    private func admit(_ request: HTTPRequest) throws(Problem) -> DownloadRoute {
        try access.checkHost(request)
        let route = DownloadRoute(path: request.path)
        if !route.isMedia { try access.checkOrigin(request) }
        if !route.isSafe(request.method) { try access.checkCustomHeader(request) }
        if route == .unknown { throw .notFound("there is nothing at this path") }
        guard route.methods.contains(request.method) else { throw .methodNotAllowed(route.methods) }
        return route
    }

    private func answer(_ request: HTTPRequest, to route: DownloadRoute) -> HTTPAnswer {
        switch route {
        case .page(let name): .now(page.answer(name))
        case .tasks where request.method == .post: later { try await self.add(request) }
        case .tasks: .now(.json(["items": .array(manager.tasks.map(\.json))]))
        case .events: .now(events())
        case .task(let id) where request.method == .delete:
            later {
                try await self.manager.remove(id)
                return .noContent
            }
        case .task(let id): .now(task(id))
        case .action(let action, let id):
            later { .json(try await self.perform(action, on: id).json) }
        case .media where request.method == .options: .now(MediaAnswer.preflight)
        case .media(let id, let name):
            later(MediaAnswer.fields) { try await self.media(name, of: id, request) }
        case .unknown: .now(Problem.notFound("there is nothing at this path").answer)
        }
    }

    private func task(_ id: String) -> HTTPResponse {
        manager.task(id).map { .json($0.json) } ?? Problem.noTask(id).answer
    }

    private func add(_ request: HTTPRequest) async throws -> HTTPResponse {
        let (task, isNew) = try await manager.add(try DownloadRequestReader.request(from: request.body))
        let location: HTTPHeaders = isNew ? ["Location": "/downloads/\(task.id)"] : [:]
        return .json(task.json, status: isNew ? .created : .ok, headers: location)
    }

    private func perform(_ action: TaskAction, on id: String) async throws -> DownloadTask {
        switch action {
        case .pause: try await manager.pause(id)
        case .resume: try await manager.resume(id, isRetry: false)
        case .cancel: try await manager.cancel(id)
        case .retry: try await manager.resume(id, isRetry: true)
        }
    }

    /// An answer that reads or writes files; `common` are the fields that errors have as well.
    private func later(
        _ common: HTTPHeaders = [:], _ work: @escaping @Sendable () async throws -> HTTPResponse
    ) -> HTTPAnswer {
        .later {
            do {
                return try await work()
            } catch let problem as Problem {
                return problem.answer(common)
            } catch let error as DownloadError {
                return Problem(error).answer(common)
            } catch {
                return Problem(.internalServerError, "\(error)").answer(common)
            }
        }
    }
}
