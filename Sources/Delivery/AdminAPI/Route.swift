import HTTP
import Timeline

/// The resource that a path names.
enum Route: Sendable, Equatable {
    case frontPage
    case health
    case readiness
    case metrics
    case document
    case channels
    case channel(ChannelPath)
    case tokens
    /// `/api/v1/tokens/{id}`; nil when the id is none.
    case token(TokenID?)
    /// An unknown path below `/api`.
    case unknown

    /// Nil when the path belongs to another part of the server.
    init?(path: String) {
        switch path {
        case "/": self = .frontPage
        case "/healthz": self = .health
        case "/readyz": self = .readiness
        case "/metrics": self = .metrics
        case "/api/v1/openapi.json": self = .document
        case "/api/v1/channels": self = .channels
        case "/api/v1/tokens": self = .tokens
        default:
            guard path == "/api" || path.hasPrefix("/api/") else { return nil }
            let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            if parts.count == 4, parts.starts(with: ["api", "v1", "tokens"]), let id = parts.last, !id.isEmpty
            {
                self = .token(TokenID(id))
                return
            }
            self = ChannelPath(path: path).map(Route.channel) ?? .unknown
        }
    }

    /// Whether the resource needs the admin token.
    var needsToken: Bool {
        switch self {
        case .frontPage, .health, .readiness, .metrics, .document: false
        case .channels, .channel, .tokens, .token, .unknown: true
        }
    }

    /// The methods of the resource, in the order of the Allow header.
    var methods: [HTTPMethod] {
        switch self {
        case .frontPage, .health, .readiness, .metrics, .document: [.get, .head]
        case .channels, .tokens: [.get, .head, .post]
        case .token: [.get, .head, .delete]
        case .channel(let path) where path.part == .settings: [.get, .head, .put, .patch, .delete]
        case .channel(let path) where path.part == .reanchor: [.post]
        case .channel: [.get, .head]
        case .unknown: []
        }
    }
}

/// A path that begins with a channel's id.
struct ChannelPath: Sendable, Equatable {
    enum Part: String, Sendable, CaseIterable {
        case settings
        case status
        case timeline
        case reanchor
    }

    /// Nil when the path has no valid id in this place.
    var id: ChannelID?
    var part: Part

    /// Nil when the path is neither `/api/v1/channels/{id}` nor a part of it.
    init?(path: String) {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard segments.count == 4 || segments.count == 5, segments.starts(with: ["api", "v1", "channels"])
        else { return nil }
        let rest = Array(segments.dropFirst(3))
        guard rest.count == 2 else {
            guard !rest[0].isEmpty else { return nil }
            self.init(id: Self.id(rest[0]), part: .settings)
            return
        }
        guard let part = Part(rawValue: String(rest[1])), part != .settings else { return nil }
        self.init(id: Self.id(rest[0]), part: part)
    }

    private init(id: ChannelID?, part: Part) {
        self.id = id
        self.part = part
    }

    private static func id(_ segment: Substring) -> ChannelID? {
        PercentEncoding.decoded(segment).flatMap(ChannelID.init)
    }
}
