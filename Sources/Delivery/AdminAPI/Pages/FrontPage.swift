import Catalogue
import HTTP
import Timeline

extension FrontPage {
    /// The plain page at `/`: version, links and, while playback is open, channels.
    ///
    /// If playback needs a token, only those who have one may see which channels exist.
    static func response(
        of catalogue: Catalogue, _ configuration: AdminConfiguration,
    ) async -> HTTPResponse {
        let isOpen = configuration.tokenSigner == nil
        let channels = isOpen ? try? await catalogue.channels(limit: Limits.frontPageChannels) : nil
        let page = FrontPage(
            version: configuration.version, channels: channels, needsToken: !isOpen,
            linksChannels: configuration.playsChannels)
        var response = HTTPResponse.bytes(Array(page.html.utf8), type: MediaType.html.fieldValue)
        response.headers["Content-Security-Policy"] =
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
        return response
    }
}

/// A page without scripts for a person who opens the server in a browser.
struct FrontPage {
    let version: String
    /// Nil when the catalogue did not answer, or was not asked.
    let channels: [Channel]?
    /// Whether playback needs a token: then the page names no channels.
    let needsToken: Bool
    /// Whether channels play at this address without a token.
    let linksChannels: Bool

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>Backcast</title>
        <style>body { font: 16px/1.5 sans-serif; max-width: 50em; margin: 2em auto; padding: 0 1em }</style>
        </head>
        <body>
        <h1>Backcast</h1>
        <p>Version \(Self.escaped(version))</p>
        <h2>Channels</h2>
        \(channelList)
        <h2>For programs</h2>
        <ul>
        <li><a href="api/v1/openapi.json">The admin API</a> (OpenAPI 3.1)</li>
        <li><a href="metrics">Metrics</a> (Prometheus)</li>
        <li><a href="healthz">Health</a>, <a href="readyz">readiness</a></li>
        </ul>
        </body>
        </html>

        """
    }

    private var channelList: String {
        if needsToken { return "<p>Channels play with a token.</p>" }
        guard let channels else { return "<p>The catalogue cannot be reached.</p>" }
        guard !channels.isEmpty else { return "<p>There is no channel yet.</p>" }
        return "<ul>\n" + channels.map(item).joined() + "</ul>"
    }

    private func item(_ channel: Channel) -> String {
        let title = Self.escaped(channel.settings.title)
        let name = linksChannels ? "<a href=\"live/\(channel.id)/index.m3u8\">\(title)</a>" : title
        return "<li>\(name)\(channel.settings.recording ? "" : " (not recording)")</li>\n"
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
    }
}
