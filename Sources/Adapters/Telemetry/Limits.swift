/// The bounds of this module.
package enum Limits {
    /// Series of one registry: as many as a scraper of a large installation accepts in one answer.
    ///
    /// A histogram counts once per line that it writes.
    package static let series = 100_000
    /// Characters of a label's value: ids and reasons are short, longer values come from outside.
    static let labelValueCharacters = 256
    /// Characters of a log line's message or of one metadata value.
    ///
    /// The rest is cut, so that a hostile source cannot fill the log.
    static let logTextCharacters = 8192
    /// Bytes of log lines that wait for a descriptor that takes no more: some thousand lines.
    static let waitingLogBytes = 1 << 20
    /// How long the end of the program waits for log lines to be written, milliseconds.
    static let logFlushMilliseconds = 2_000
    /// Depth of nested log metadata.
    static let logMetadataDepth = 4
}
