/// The bounds of this module.
package enum Limits {
    /// Bytes of a request body: a channel with every field at its limit needs half of them.
    static let bodyBytes = 1 << 20
    /// Wrong fields that one answer lists.
    package static let faults = 50
    /// Characters of a client's field name that an answer repeats.
    static let quotedCharacters = 80

    /// Characters of a title: a line on a screen.
    static let titleCharacters = 200
    /// Characters of a group: a heading on a screen.
    static let groupCharacters = 100
    /// Characters of a logo's URL.
    static let logoCharacters = 2048
    package static let sources = 16
    /// Bytes of a source's URL, as in the module HTTP.
    static let urlBytes = 8 * 1024
    package static let headers = 32
    /// Characters of a header's name.
    static let headerNameCharacters = 256
    /// Bytes of a header's value: a cookie of a browser.
    static let headerValueBytes = 4 * 1024
    /// Bytes of all names and values of a source's headers: the client does not send more.
    static let headersBytes = 32 * 1024
    package static let headerHosts = 16
    /// Characters of a host name (RFC 1035).
    static let hostCharacters = 253
    package static let priority: ClosedRange<Int64> = -1000...1000
    package static let maxConnections: ClosedRange<Int64> = 1...100
    /// Renditions selected by id.
    package static let renditions = 32
    /// Bytes: from one to the largest integer that every JSON reader represents exactly.
    package static let maxBytes: ClosedRange<Int64> = 1...9_007_199_254_740_991

    /// How long a playback token may last, seconds: ten years.
    static let tokenSeconds: Int64 = 3650 * 86_400
    /// Ids that are tried for a new token; two are equal once in billions in the same second.
    static let tokenTries = 5

    /// Items of one page of a list.
    static let pageItems: ClosedRange<Int64> = 1...1000
    static let defaultPageItems: Int64 = 100
    /// Channels that the front page lists.
    static let frontPageChannels = 100
    /// How long the front page is reused.
    static let pageAge = Duration.seconds(2)
    /// Seconds of one timeline: a month, whose segments one query reads in a second.
    static let timelineSeconds: Int64 = 31 * 86_400
    /// Seconds of a timeline without `from`.
    static let defaultTimelineSeconds: Int64 = 86_400

    /// How long a request waits for the purge of a channel; the server itself gives up after 30 s.
    static let purgeAnswer = Duration.seconds(20)

    /// Seconds that each part has to answer a readiness check.
    static let checkSeconds = 2.0
    /// Pause between two readiness checks.
    static let readinessPause = Duration.seconds(1)
    /// Seconds after which a client may retry when the catalogue is unavailable.
    package static let retryAfterSeconds = 5
    /// Attempts of a change without If-Match while other requests change the same channel.
    static let changeAttempts = 5
    /// How long the text of the metrics is used again.
    static let metricsAge = Duration.seconds(1)
    /// Series of request counters: routes times status codes.
    static let requestSeries = 1000
}
