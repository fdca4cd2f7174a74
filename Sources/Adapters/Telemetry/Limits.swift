/// The bounds of this module.
package enum Limits {
    /// Series of one registry: what a scraper of a large installation still takes in one answer.
    ///
    /// A histogram counts once per line it writes.
    package static let series = 100_000
    /// Characters of a label's value: ids and reasons are short, anything longer came from outside.
    package static let labelValueCharacters = 256
    /// Characters of a log line's message or of one metadata value; the rest is cut, so that a hostile source
    /// cannot fill the log with one line.
    package static let logTextCharacters = 8192
    /// Depth of nested log metadata that is still written.
    package static let logMetadataDepth = 4
}
