import HTTP

/// A part of the server: it answers its own paths and returns nil for all others.
protocol RequestPart: Sendable {
    func bodyLimit(for request: HTTPRequest) -> Int?
    func answer(_ request: HTTPRequest) -> HTTPAnswer?
}

/// The one handler of a server: asks its parts in order.
struct Router: HTTPHandler {
    private let parts: [any RequestPart]

    init(_ parts: [any RequestPart]) {
        self.parts = parts
    }

    func bodyLimit(for request: HTTPRequest) -> Int {
        for part in parts {
            if let limit = part.bodyLimit(for: request) { return limit }
        }
        return 0
    }

    func answer(_ request: HTTPRequest) -> HTTPAnswer {
        for part in parts {
            if let answer = part.answer(request) { return answer }
        }
        return .now(Self.notFound)
    }

    private static let notFound = Problem(.notFound, "there is nothing at this path").response()
}

/// The admin API as the viewers' address has it when operators have a separate address: the probes only.
struct ProbesOnly: RequestPart {
    private static let paths: Set<String> = ["/healthz", "/readyz"]

    let part: any RequestPart

    func bodyLimit(for request: HTTPRequest) -> Int? {
        Self.paths.contains(request.path) ? part.bodyLimit(for: request) : nil
    }

    func answer(_ request: HTTPRequest) -> HTTPAnswer? {
        Self.paths.contains(request.path) ? part.answer(request) : nil
    }
}
