/// The bounds of this module.
package enum Limits {
    /// Seconds that an answer about a final window may be kept: a repair shows after that at the latest.
    static let finalAgeSeconds: Int64 = 3600
    /// Seconds after which a client may ask again while the catalogue is away.
    static let retryAfterSeconds = 5
    /// Seconds that a browser may remember what a preflight allowed.
    static let preflightSeconds = 86_400
}
