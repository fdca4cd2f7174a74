import HTTP

/// The part of a URL that names the presentation and can be shown: without one person's query and token.
extension HTTPURL {
    /// The playback token of a Backcast service: `{token}` in `/t/{token}/live/news/index.m3u8`.
    var playbackToken: String? {
        let parts = path.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[1] == "t", parts[3].hasPrefix("live/") else { return nil }
        return String(parts[2])
    }

    /// The path without the playback token: of `/t/{token}/live/news/index.m3u8` `/live/news/index.m3u8`.
    var redactedPath: String {
        guard let playbackToken else { return path }
        return String(path.dropFirst("/t/\(playbackToken)".count))
    }

    /// Without query and token.
    var redactedText: String { origin + redactedPath }
}
