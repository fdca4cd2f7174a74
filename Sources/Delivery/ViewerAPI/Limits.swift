/// The bounds of this module.
package enum Limits {
    /// Seconds that caches may keep the answer of a final window: a repair becomes visible after that time at
    /// the latest.
    static let finalAgeSeconds: Int64 = 3600
    /// Seconds after which a client may retry while the catalogue is unavailable.
    static let retryAfterSeconds = 5
    /// Seconds that a browser may cache the answer to a preflight.
    static let preflightSeconds = 86_400
}
