/// The kind of resource that a path names: a label of the request metrics with a bounded number of values.
package enum RequestRoute: String, Sendable, CaseIterable {
    case playlist
    case segment
    case key
    case download
    case channels
    case channel
    case status
    case timeline
    case reanchor
    case document = "openapi"
    case metrics
    case health = "healthz"
    case readiness = "readyz"
    case frontPage = "index"
    case other

    package init(path: String) {
        // Most requests are those of viewers.
        if path.utf8.starts(with: "/live/".utf8) {
            let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            self = Self.live(Array(segments.dropFirst().map(Substring.init)))
        } else if let route = Route(path: path) {
            self.init(route)
        } else {
            self = .other
        }
    }

    private init(_ route: Route) {
        self =
            switch route {
            case .frontPage: .frontPage
            case .health: .health
            case .readiness: .readiness
            case .metrics: .metrics
            case .document: .document
            case .channels: .channels
            case .channel(let path): Self.part(path.part)
            case .unknown: .other
            }
    }

    private static func part(_ part: ChannelPath.Part) -> RequestRoute {
        switch part {
        case .settings: .channel
        case .status: .status
        case .timeline: .timeline
        case .reanchor: .reanchor
        }
    }

    /// `live/{ch}/…`.
    private static func live(_ segments: [Substring]) -> RequestRoute {
        guard segments.first == "live", let last = segments.last else { return .other }
        switch segments.count {
        case 3 where last.utf8.suffix(5).elementsEqual(".m3u8".utf8): return .playlist
        case 3 where last.hasPrefix("download."): return .download
        case 4 where segments[2] == "keys": return .key
        case 4: return .segment
        default: return .other
        }
    }
}
