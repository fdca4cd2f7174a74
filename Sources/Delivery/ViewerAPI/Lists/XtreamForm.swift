import Access
import HTTP

/// A request of the Xtream Codes API that has its parameters in the body, as some apps send them.
enum XtreamForm {
    /// Whether the resource at a path, which may begin with a token, takes a form.
    static func isTaken(at path: String) -> Bool {
        switch XtreamRoute(path: TokenPath(path).map { String($0.rest) } ?? path) {
        case .player, .playlist, .guide: true
        case .media, .past, nil: false
        }
    }

    /// The request for the same resource with all parameters in the query; nil for a body of another type.
    static func unpacked(_ request: HTTPRequest) -> HTTPRequest? {
        if !request.body.isEmpty, let type = request.headers["Content-Type"] {
            guard let type = MediaType(reading: type), type.type == "application",
                type.subtype == "x-www-form-urlencoded"
            else { return nil }
        }
        var asked = request
        asked.method = .get
        asked.body = []
        let parameters = [request.query ?? "", String(decoding: request.body, as: UTF8.self)]
        asked.query = parameters.filter { !$0.isEmpty }.joined(separator: "&")
        return asked
    }
}
