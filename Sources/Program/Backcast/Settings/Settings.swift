import HTTPClient
import HTTPServer
import Logging
import Postgres
import Telemetry
import ViewerAPI

/// The configuration of this process: read once at the start, then handed down as values.
struct Settings: Sendable {
    var listen: ListenAddress
    /// A separate address for the admin API and the metrics.
    var adminListen: ListenAddress?
    var database: ConnectionString
    /// The folder of segments.
    var archive: String
    /// The folder of the journal and of generated secrets.
    var state: String
    var adminToken: Secret?
    /// Names under which the admin API answers, beside addresses and local names.
    var adminHosts: [HostPattern]
    /// The secrets of playback tokens, the first one for new tokens; empty: playback needs no token.
    var playbackSecrets: [Secret]
    var trustedProxies: [AddressNetwork]
    /// Threads that answer viewers; nil: one for each core that the process may use.
    var serverThreads: Int?
    /// What absolute URLs in lists begin with; nil: the server that a request names.
    var publicBase: PublicBase?
    /// Whether closed windows are redirected to their canonical URL.
    var isCanonical: Bool
    /// How many ffmpeg processes may pack downloads at a time; as many others may make pictures.
    var remuxProcesses: Int
    /// Bytes of the disk that stay free; nil: the larger of 5 % and 2 GiB.
    var minFreeBytes: Int64?
    var deleteGraceSeconds: Int
    /// The folder of migrations that was named; nil: those that the program carries.
    var migrations: String?
    var maxWindowSeconds: Int
    /// The retention of new channels that do not state one.
    var retentionSeconds: Int
    var sourcesAllow: AllowList?
    var sourcesProxy: Secret?
    /// Whether each request is logged.
    var logsRequests: Bool
    var logLevel: Logger.Level
    var logFormat: LogFormat
    /// Messages for the log about settings that may be mistakes.
    var warnings: [String]
}

extension Settings {
    /// Reads everything, and reports all faults together.
    static func reading(_ sources: SettingSources, for role: Role) throws(SettingsError) -> Settings {
        var reader = SettingReader(sources)
        let settings = Settings(reading: &reader)
        reader.checkRequirements(of: role)
        guard let settings, reader.faults.isEmpty else { throw SettingsError(faults: reader.faults) }
        return settings
    }

    /// Nil only without a database; every other fault leaves the default in place.
    private init?(reading reader: inout SettingReader) {
        let database = reader.database()
        listen = reader.address(.listen) ?? ListenAddress(host: "127.0.0.1", port: 8080)
        adminListen = reader.address(.adminListen)
        archive = reader.folder(.archive) ?? "./var/archive"
        state = reader.folder(.state) ?? "./var/state"
        adminToken = reader.adminToken()
        adminHosts = reader.hosts(.adminHosts) ?? []
        playbackSecrets = reader.playbackSecrets() ?? []
        trustedProxies = reader.networks(.trustedProxies) ?? []
        serverThreads = reader.count(.serverThreads, in: Limits.serverThreads)
        publicBase = reader.publicBase()
        isCanonical = reader.flag(.canonical) ?? false
        remuxProcesses = reader.count(.remuxProcesses, in: Limits.remuxProcesses) ?? 2
        minFreeBytes = reader.byteCount(.minFree)
        deleteGraceSeconds = reader.seconds(.deleteGrace, in: 0...Limits.longestSettingSeconds) ?? 7200
        migrations = reader.folder(.migrations)
        maxWindowSeconds = reader.seconds(.maxWindow, in: 1...Limits.longestWindow) ?? 86_400
        retentionSeconds = reader.seconds(.retention, in: Limits.retention) ?? 604_800
        sourcesAllow = reader.allowList(.sourcesAllow)
        sourcesProxy = reader.proxy(.sourcesProxy)
        logsRequests = reader.flag(.accessLog) ?? false
        logLevel = reader.word(.logLevel, Logger.Level.self) ?? .info
        logFormat = reader.word(.logFormat, LogFormat.self) ?? .text
        warnings = reader.sources.unknownVariables.map { "\($0) (environment) is not a setting" }
        guard let database else { return nil }
        self.database = database
    }
}
