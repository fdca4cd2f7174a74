/// A resource for apps that names channels.
enum ListRoute: Equatable {
    /// `/iptv/channels.m3u`.
    case channels
    /// `/iptv/guide.xml`.
    case guide
    /// A path of the Xtream Codes API.
    case xtream(XtreamRoute)
    /// Another path below `/iptv/` and `/timeshift/`.
    case unknown

    /// Nil when the path belongs to another part of the server.
    init?(path: String) {
        switch path {
        case "/iptv/channels.m3u": self = .channels
        case "/iptv/guide.xml": self = .guide
        default:
            if let route = XtreamRoute(path: path) {
                self = .xtream(route)
            } else if path.hasPrefix("/iptv/") || path.hasPrefix("/timeshift/") {
                self = .unknown
            } else {
                return nil
            }
        }
    }
}
