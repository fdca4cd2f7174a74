/// The bounds of this module.
package enum Limits {
    /// Bytes of a request body: a channel with every field at its bound has half of it.
    package static let bodyBytes = 1 << 20
    /// Depth of nested JSON: a channel has four.
    package static let jsonDepth = 16
    /// Wrong fields that one answer names.
    package static let faults = 50
    /// Characters of a foreign name that an answer repeats.
    package static let quotedCharacters = 80

    /// Characters of a title: a line on a screen.
    package static let titleCharacters = 200
    package static let sources = 16
    /// Bytes of a source's URL, as HTTP's module has it.
    package static let urlBytes = 8 * 1024
    package static let headers = 32
    /// Characters of a header's name.
    package static let headerNameCharacters = 256
    /// Bytes of a header's value: a cookie of a browser.
    package static let headerValueBytes = 4 * 1024
    package static let headerHosts = 16
    /// Characters of a host name (RFC 1035).
    package static let hostCharacters = 253
    package static let priority: ClosedRange<Int64> = -1000...1000
    package static let maxConnections: ClosedRange<Int64> = 1...100
    /// Renditions chosen by id.
    package static let renditions = 32
    /// Bytes: one to what every JSON reader holds exactly.
    package static let maxBytes: ClosedRange<Int64> = 1...9_007_199_254_740_991

    /// Items of one page of a list.
    package static let pageItems: ClosedRange<Int64> = 1...1000
    package static let defaultPageItems: Int64 = 100
    /// Channels that the front page names.
    package static let frontPageChannels = 100
    /// Seconds of one timeline: a month, whose segments one query still reads in a second.
    package static let timelineSeconds: Int64 = 31 * 86_400
    /// Seconds of a timeline whose begin is not said.
    package static let defaultTimelineSeconds: Int64 = 86_400

    /// Seconds that each part has to show that it is there: a request for readiness waits little longer.
    package static let probeSeconds = 2.0
    /// Seconds after which a client may ask again when the catalogue is away.
    package static let retryAfterSeconds = 5
    /// Tries of a change without If-Match against others that change the same channel.
    package static let changeAttempts = 5
    /// Series of requests: routes by status codes.
    package static let requestSeries = 1000
}
