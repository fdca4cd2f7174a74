/// Which program this is.
enum Version {
    /// The release (semver.org).
    static let text = "0.1.0"
}
