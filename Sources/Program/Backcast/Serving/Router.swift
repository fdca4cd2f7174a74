import HTTP

/// The parts of the outside contract, by the beginning of their paths.
enum Area: Hashable, Sendable, CaseIterable {
    /// `/healthz` and `/readyz`: on every address.
    case health
    /// `/api`, `/metrics` and the plain page: for operators.
    case administration
    /// Everything for players.
    case playback

    /// The area of a path as sent.
    init(path: String) {
        switch path.dropFirst().prefix(while: { $0 != "/" }) {
        case "healthz", "readyz": self = .health
        case "", "api", "metrics": self = .administration
        default: self = .playback
        }
    }
}

/// The one handler of a server: gives each request to the part that answers its area.
struct Router: HTTPHandler {
    private let handlers: [Area: any HTTPHandler]

    /// An area without a handler is not found on this address.
    init(_ handlers: [Area: any HTTPHandler]) {
        self.handlers = handlers
    }

    func bodyLimit(for request: HTTPRequest) -> Int {
        handlers[Area(path: request.path)]?.bodyLimit(for: request) ?? 0
    }

    func answer(_ request: HTTPRequest) -> HTTPAnswer {
        handlers[Area(path: request.path)]?.answer(request) ?? .now(Self.notFound)
    }

    /// RFC 9457.
    private static let notFound = HTTPResponse(
        status: .notFound,
        headers: ["Content-Type": "application/problem+json", "Cache-Control": "no-store"],
        body: .bytes(
            Array(
                #"{"type":"about:blank","title":"Not Found","status":404,"detail":"there is nothing at this path on this address"}"#
                    .utf8)))
}
