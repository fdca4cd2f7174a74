import HTTP

/// The files of the page, which the package carries; hls.js comes from the installation.
struct PageFiles: Sendable {
    static let index = "index.html"
    static let script = "hls.js"
    static let names: Set<String> = ["page.css", "page.js", "player.js", "icon.svg", script]

    private let hlsScript: [UInt8]?

    init(hlsScript: [UInt8]?) {
        self.hlsScript = hlsScript
    }

    func answer(_ name: String) -> HTTPResponse {
        let (bytes, type) = content(of: name)
        guard let bytes else {
            return Problem.notFound(
                "hls.js is not installed; its place is share/backcast/hls.js beside the folder of the program"
            ).answer
        }
        return HTTPResponse(status: .ok, headers: Self.fields(type), body: .bytes(bytes))
    }

    private func content(of name: String) -> ([UInt8]?, type: String) {
        switch name {
        case "page.css": (PackageResources.page_css, "text/css; charset=utf-8")
        case "page.js": (PackageResources.page_js, "text/javascript; charset=utf-8")
        case "player.js": (PackageResources.player_js, "text/javascript; charset=utf-8")
        case "icon.svg": (PackageResources.icon_svg, "image/svg+xml")
        case Self.script: (hlsScript, "text/javascript; charset=utf-8")
        default: (PackageResources.index_html, MediaType.html.fieldValue)
        }
    }

    /// Nothing but files of this server runs in the page, and no page of another site may frame it.
    private static func fields(_ type: String) -> HTTPHeaders {
        let policy = [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'",
            "media-src 'self' blob:", "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
            "frame-ancestors 'none'",
        ]
        return [
            "Content-Type": type, "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": policy.joined(separator: "; "), "Referrer-Policy": "no-referrer",
            "X-Frame-Options": "DENY", "Cross-Origin-Resource-Policy": "same-origin",
        ]
    }
}
