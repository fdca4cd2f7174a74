/// What the program's settings say to the admin API.
package struct AdminConfiguration: Sendable {
    package var token: AdminToken
    /// The program's version, as `/`, the metrics and the OpenAPI document name it.
    package var version: String
    /// Retention of a channel that says none, seconds.
    package var defaultRetentionSeconds: Int64
    /// Seconds that bytes outlive their fact.
    package var deleteGraceSeconds: Int
    /// Why a source may not be on a host and port, in words that follow "the address"; nil when it may.
    ///
    /// Sees what the
    /// URL says, without looking a name up; an IPv6 address comes in its brackets.
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
