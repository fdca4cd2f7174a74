package import Catalogue
package import Concurrency
package import HTTP
package import JSON
package import Logging
package import Monitoring
package import Telemetry
import Timeline

/// The API for operators: channels, their state, health and metrics.
package final class AdminAPI: Sendable {
    let catalogue: Catalogue
    let board: StatusBoard
    let registry: MetricsRegistry
    let configuration: AdminConfiguration
    private let readiness: Readiness
    let purges = Purges()
    let clock: HostClock
    let logger: Logger
    private let openAPI: [UInt8]
    private let health: HTTPResponse
    private let metrics: FreshValue<HTTPResponse, Never>
    private let frontPage: FreshValue<HTTPResponse, Never>

    /// Prepares the answers.
    ///
    /// The board is that of this process's recorder; it is empty in a process that does not record.
    /// `archiveIsReachable` says whether segment bytes can be read; its time limit is `Limits.checkSeconds`.
    package init(
        catalogue: Catalogue, board: StatusBoard, registry: MetricsRegistry,
        configuration: AdminConfiguration, archiveIsReachable: @escaping @Sendable () async -> Bool,
        clock: HostClock, logger: Logger,
    ) throws(JSONError) {
        self.catalogue = catalogue
        self.board = board
        self.registry = registry
        self.configuration = configuration
        readiness = Readiness(
            catalogue: ReachabilityCheck(clock: clock) { await catalogue.isReachable() },
            archive: ReachabilityCheck(clock: clock, archiveIsReachable), hasFFmpeg: configuration.hasFFmpeg)
        self.clock = clock
        self.logger = logger
        let version = configuration.version
        var health = HTTPResponse.json(["status": "ok", "version": .string(version)])
        health.kept = PreparedResponseSlot()
        self.health = health
        registry.onScrape("backcast_build_info", help: "Always 1; the labels say what runs.") {
            [([("version", version)], 1)]
        }
        // Writes thousands of lines, which takes too long for a server thread.
        metrics = FreshValue(clock: clock, age: Limits.metricsAge) {
            .bytes(await onAnotherThread { registry.prometheusText() }, type: MetricsRegistry.contentType)
        }
        frontPage = FreshValue(clock: clock, age: Limits.pageAge) {
            await FrontPage.response(of: catalogue, configuration)
        }
        openAPI = try OpenAPIDocument.text(version: configuration.version)
    }

    /// Checks again and again whether the service is ready, until cancelled.
    ///
    /// Without it the service never counts as ready.
    package func run() async {
        while !Task.isCancelled {
            await checkReadiness()
            try? await clock.sleep(for: Limits.readinessPause)
        }
    }

    func checkReadiness() async {
        await readiness.check()
    }

    /// Whether the body of a request is read; nil when the path belongs to another part of the server.
    ///
    /// A request without the token is refused before its body is received. Resources without a token accept
    /// no body, because anyone could send one.
    package func admitBody(of request: HTTPRequest) -> HTTPBodyAdmission? {
        guard let route = Route(path: request.path) else { return nil }
        do throws(Problem) {
            try admit(request, to: route)
            return .upTo(route.needsToken ? Limits.bodyBytes : 0)
        } catch {
            return .refused(error.answer)
        }
    }

    /// The answer to a request, on a server thread; nil when the path belongs to another part of the server.
    package func answer(_ request: HTTPRequest) -> HTTPAnswer? {
        guard let route = Route(path: request.path) else { return nil }
        do throws(Problem) {
            try admit(request, to: route)
            return try answer(request, to: route)
        } catch {
            return .now(error.answer)
        }
    }

    /// Refuses requests to a foreign Host or without the token, unknown paths and methods that a resource
    /// lacks.
    private func admit(_ request: HTTPRequest, to route: Route) throws(Problem) {
        if route.needsToken { try configuration.checkHost(request.headers) }
        if route.needsToken { try configuration.token.check(request.headers) }
        if route == .unknown { throw .notFound("there is nothing at this path; see /api/v1/openapi.json") }
        guard route.methods.contains(request.method) else { throw .methodNotAllowed(route.methods) }
    }

    private func answer(_ request: HTTPRequest, to route: Route) throws(Problem) -> HTTPAnswer {
        switch route {
        case .health: .now(health)
        case .document: .now(documentResponse())
        case .metrics: .reserved { [metrics] in await metrics.value() }
        case .readiness: .now(readiness.response)
        case .frontPage: .later { [frontPage] in await frontPage.value() }
        case .channels where request.method == .post: later { try await self.createChannel(request) }
        case .channels: later { try await self.listChannels(request) }
        case .channel(let path): try answer(request, to: path)
        case .tokens where request.method == .post: later { try await self.createToken(request) }
        case .tokens: later { try await self.listTokens(request) }
        case .token(nil): .now(Problem.noToken.answer)
        case .token(let id?) where request.method == .delete:
            later { try await self.revokeToken(id, request) }
        case .token(let id?): later { try await self.getToken(id, request) }
        case .unknown: .now(Problem.notFound("there is nothing at this path").answer)
        }
    }

    private func answer(_ request: HTTPRequest, to path: ChannelPath) throws(Problem) -> HTTPAnswer {
        guard let id = path.id else {
            let rule = "a channel id is 1 to 63 of a-z, 0-9, - and _ and begins with a letter or digit"
            throw Problem(request.method == .put ? .badRequest : .notFound, rule)
        }
        return switch (path.part, request.method) {
        case (.status, _): later { try await self.status(of: id, request) }
        case (.timeline, _): later { try await self.timeline(of: id, request) }
        case (.reanchor, _): later { try await self.reanchor(id, request) }
        case (.settings, .put): later { try await self.putChannel(id, request) }
        case (.settings, .patch): later { try await self.patchChannel(id, request) }
        case (.settings, .delete): later { try await self.deleteChannel(id, request) }
        case (.settings, _): later { try await self.getChannel(id, request) }
        }
    }

    private func documentResponse() -> HTTPResponse {
        .bytes(openAPI, type: MediaType.json.fieldValue, cacheControl: "no-cache")
    }
}

extension AdminAPI {
    /// An answer that asks the catalogue.
    private func later(_ work: @escaping @Sendable () async throws -> HTTPResponse) -> HTTPAnswer {
        .reserved {
            do {
                return try await work()
            } catch {
                // The client has disconnected, so this response is not sent.
                if Task.isCancelled { return Problem.catalogueUnavailable.answer }
                return self.problem(for: error).answer
            }
        }
    }

    /// The problem for the client; a failure of the program itself is logged and not explained.
    private func problem(for error: any Error) -> Problem {
        if let problem = error as? Problem { return problem }
        if let problem = (error as? CatalogueError).flatMap(Problem.init) { return problem }
        logger.error("A request of the admin API failed", metadata: ["error": "\(error)"])
        return Problem(.internalServerError, "the request failed; the server's log has the details")
    }
}
