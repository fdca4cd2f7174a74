import HTTP

/// Answers that are not live channels, for tests of bad sources.
enum StaticResources {
    static let webPage = Array(
        """
        <!DOCTYPE html>
        <html><head><title>Not here</title></head><body><h1>This is a web page, not a playlist</h1></body></html>

        """.utf8)

    /// A list of channels as IPTV players use it: extended M3U, but no media playlist.
    static let channelList = Array(
        """
        #EXTM3U url-tvg="http://127.0.0.1/guide.xml"
        #EXTINF:-1 tvg-id="one" tvg-name="One" tvg-logo="http://127.0.0.1/one.png" group-title="News",One
        http://127.0.0.1/one/index.m3u8
        #EXTINF:-1 tvg-id="two" tvg-name="Two" group-title="News",Two
        http://127.0.0.1/two/index.m3u8

        """.utf8)

    static func response(for name: String) -> HTTPResponse {
        switch name {
        case "webpage.html":
            HTTPResponse(
                status: .ok, headers: ["Content-Type": "text/html; charset=utf-8"], body: .bytes(webPage))
        case "iptv.m3u":
            HTTPResponse(status: .ok, headers: ["Content-Type": "audio/x-mpegurl"], body: .bytes(channelList))
        case "empty":
            HTTPResponse(status: .ok, headers: ["Content-Type": "application/vnd.apple.mpegurl"])
        default: HTTPResponse(status: .notFound)
        }
    }
}
