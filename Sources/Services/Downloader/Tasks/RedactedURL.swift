import HTTP

/// The part of a URL that names the presentation and can be shown: without one person's query and token.
extension HTTPURL {
    /// The path without the playback token of a Backcast service: of `/t/{token}/live/news/index.m3u8`
    /// `/live/news/index.m3u8`.
    var redactedPath: String {
        let parts = path.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[1] == "t", parts[3].hasPrefix("live/") else { return path }
        return "/\(parts[3])"
    }

    /// Without query and token.
    var redactedText: String { origin + redactedPath }
}
