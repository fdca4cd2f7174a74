import HTTP
import HTTPClient
import HTTPServer
import Logging
import Postgres
import Telemetry

/// How this process is to work: read once at the start, then handed down as values.
struct Settings: Sendable {
    var listen: ListenAddress
    /// Another address for the API and the metrics.
    var adminListen: ListenAddress?
    var database: ConnectionString
    /// The folder of segments.
    var archive: String
    /// The folder of the journal and of what the program made for itself.
    var state: String
    var adminToken: Secret?
    var publicURL: HTTPURL?
    var trustedProxies: [AddressNetwork]
    /// Bytes of the disk that stay free; nil: the larger of 5 % and 2 GiB.
    var minFreeBytes: Int64?
    var deleteGraceSeconds: Int
    /// The folder of migrations that was named; nil: the usual places.
    var migrations: String?
    var maxWindowSeconds: Int
    /// For new channels that do not say.
    var retentionSeconds: Int
    var sourcesAllow: AllowList?
    var sourcesProxy: Secret?
    var logLevel: Logger.Level
    var logFormat: LogFormat
    /// What is not wrong but will surprise, for the log.
    var warnings: [String]
}
