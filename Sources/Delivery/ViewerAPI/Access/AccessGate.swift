import Access
import HTTP
import Timeline

/// The one place that decides who is answered.
///
/// The token is at the beginning of the path and is removed here. All later code sees the same request
/// for every viewer, so all share answers and caches. In the Xtream Codes API the token is the password.
struct AccessGate: Sendable {
    enum Outcome {
        case refused(HTTPResponse)
        /// The request without its token.
        case admitted(HTTPRequest, ViewerAccess)
    }

    let access: PlaybackAccess

    func outcome(_ request: HTTPRequest) -> Outcome {
        let parts = TokenPath(request.path)
        let token = access.isOpen ? nil : parts?.token ?? Self.password(request)
        var viewer = ViewerAccess()
        switch access.verdict(on: token) {
        case .open: break
        case .granted(let grant):
            guard Self.permits(grant, parts?.rest ?? request.path[...]) else {
                return .refused(Fields.forbidden)
            }
            viewer = ViewerAccess(token: token, grant: grant, isPrefixed: parts != nil)
        case .refused: return .refused(Fields.forbidden)
        case .unknown: return .refused(Fields.tokensNotLoaded)
        }
        guard let parts else { return .admitted(request, viewer) }
        var request = request
        request.path = String(parts.rest)
        return .admitted(request, viewer)
    }

    /// The password of a request of the Xtream Codes API; nil for any other.
    private static func password(_ request: HTTPRequest) -> Substring? {
        switch XtreamRoute(path: request.path) {
        case nil: nil
        case .media(let media): media.password[...]
        case .player, .playlist, .guide, .past:
            QueryItems(reading: request.query, skipsUnreadable: true).flatMap { $0["password"] }.map {
                $0[...]
            }
        }
    }

    /// Whether a grant is for the channel of a path.
    ///
    /// Paths of lists and of the Xtream Codes API name no channel and are permitted: lists contain only
    /// channels of the grant, and a redirect is checked at its target.
    private static func permits(_ grant: PlaybackGrant, _ path: Substring) -> Bool {
        guard !grant.channels.isEmpty, path.utf8.starts(with: ViewerRoute.root.utf8) else { return true }
        let channel = path.utf8.dropFirst(ViewerRoute.root.utf8.count).prefix { $0 != UInt8(ascii: "/") }
        if grant.channels.contains(where: { $0.text.utf8.elementsEqual(channel) }) { return true }
        return XtreamMedia(path: String(path)) != nil
    }
}
