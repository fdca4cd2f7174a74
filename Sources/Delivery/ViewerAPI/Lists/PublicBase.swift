import HTTP

/// The beginning of absolute URLs in lists: scheme, host, port and a path without a slash at its end.
package struct PublicBase: Sendable, Equatable, CustomStringConvertible {
    /// Where a proxy or an app finds the server itself.
    let origin: HTTPURL
    let text: String

    package var description: String { text }

    /// Reads a URL without user, password and query; nil for any other text.
    package init?(reading text: String) {
        guard let url = try? HTTPURL(text), url.userInfo == nil, url.query == nil else { return nil }
        var path = url.path
        while path.hasSuffix("/") { path.removeLast() }
        origin = url
        self.text = url.origin + path
    }

    /// The server as a request names it; nil if its Host is not one.
    init?(host: String?) {
        guard let host, let url = try? HTTPURL("http://\(host)/"), url.userInfo == nil, url.path == "/",
            url.query == nil
        else { return nil }
        origin = url
        text = url.origin
    }
}
