/// The settings of the admin API.
package struct AdminConfiguration: Sendable {
    package var token: AdminToken
    /// The program's version, as `/`, the metrics and the OpenAPI document name it.
    package var version: String
    /// Retention of a channel that does not set one, seconds.
    package var defaultRetentionSeconds: Int64
    /// Seconds that bytes outlive their entry in the catalogue.
    package var deleteGraceSeconds: Int
    /// Why a source may not use a host and port, as words that follow "the address"; nil when it may.
    ///
    /// Receives the host as in the URL, an IPv6 address in brackets; names are not resolved.
    package var refusalOfAddress: @Sendable (_ host: String, _ port: UInt16) -> String?

    package init(
        token: AdminToken, version: String, defaultRetentionSeconds: Int64 = 604_800,
        deleteGraceSeconds: Int = 7200,
        refusalOfAddress: @escaping @Sendable (_ host: String, _ port: UInt16) -> String? = { _, _ in nil },
    ) {
        self.token = token
        self.version = version
        self.defaultRetentionSeconds = defaultRetentionSeconds
        self.deleteGraceSeconds = deleteGraceSeconds
        self.refusalOfAddress = refusalOfAddress
    }
}
