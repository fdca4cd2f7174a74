import HTTP

/// A part of the server: it answers its own paths and returns nil for all others.
protocol RequestPart: Sendable {
    func admitBody(of request: HTTPRequest) -> HTTPBodyAdmission?
    func answer(_ request: HTTPRequest) -> HTTPAnswer?
}

/// The one handler of a server: asks its parts in order.
struct Router: HTTPHandler {
    private let parts: [any RequestPart]

    init(_ parts: [any RequestPart]) {
        self.parts = parts
    }

    func admitBody(of request: HTTPRequest) -> HTTPBodyAdmission {
        if request.path == "*" { return .upTo(0) }
        for part in parts {
            if let admission = part.admitBody(of: request) { return admission }
        }
        return .refused(Self.notFound)
    }

    func answer(_ request: HTTPRequest) -> HTTPAnswer {
        if request.path == "*" { return .now(Self.options) }
        for part in parts {
            if let answer = part.answer(request) { return answer }
        }
        return .now(Self.notFound)
    }

    /// The answer to `OPTIONS *`, which asks for the server and no resource (RFC 9110 §9.3.7).
    private static let options = HTTPResponse(status: .noContent, headers: ["Allow": "GET, HEAD, OPTIONS"])

    private static let notFound = Problem(.notFound, "there is nothing at this path")
        .response(["Access-Control-Allow-Origin": "*"])
}

/// The admin API as the viewers' address has it when operators have a separate address: the probes only.
struct ProbesOnly: RequestPart {
    private static let paths: Set<String> = ["/healthz", "/readyz"]

    let part: any RequestPart

    func admitBody(of request: HTTPRequest) -> HTTPBodyAdmission? {
        Self.paths.contains(request.path) ? part.admitBody(of: request) : nil
    }

    func answer(_ request: HTTPRequest) -> HTTPAnswer? {
        Self.paths.contains(request.path) ? part.answer(request) : nil
    }
}
