import HTTP
import HTTPClient
import HTTPServer
import Logging
import Postgres
import Telemetry
import Timeline
import ViewerAPI

extension Settings {
    /// Reads everything, and tells all that is wrong at once.
    static func reading(_ sources: SettingSources, for role: Role) throws(SettingsError) -> Settings {
        var reader = SettingReader(sources)
        let database = reader.database()
        let settings = Settings(
            reading: &reader, database: database, warnings: sources.warnings)
        reader.refuseWhatIsMissing(for: role)
        guard let settings, reader.faults.isEmpty else { throw SettingsError(faults: reader.faults) }
        return settings
    }

    /// Nil only without a database; every other fault leaves the default in place.
    private init?(reading reader: inout SettingReader, database: ConnectionString?, warnings: [String]) {
        listen = reader.address(.listen) ?? ListenAddress(host: "127.0.0.1", port: 8080)
        adminListen = reader.address(.adminListen)
        archive = reader.archive() ?? "./var/archive"
        state = reader.text(.state, allowed: "a folder") ?? "./var/state"
        adminToken = reader.adminToken()
        publicURL = reader.value(.publicURL, allowed: "an http or https URL") { try HTTPURL($0) }
        trustedProxies = reader.proxyNetworks() ?? []
        minFreeBytes = reader.minFreeBytes()
        deleteGraceSeconds = reader.seconds(.deleteGrace, in: 0...Limits.seconds) ?? 7200
        migrations = reader.text(.migrations, allowed: "a folder")
        maxWindowSeconds = reader.seconds(.maxWindow, in: 1...longestWindow) ?? 86_400
        retentionSeconds = reader.seconds(.retention, in: Self.retentionBounds) ?? 604_800
        sourcesAllow = reader.value(.sourcesAllow, allowed: "hosts, *.suffixes and networks") {
            try AllowList.reading($0)
        }
        sourcesProxy = reader.sourcesProxy()
        logLevel = reader.word(.logLevel, Logger.Level.self) ?? .info
        logFormat = reader.word(.logFormat, LogFormat.self) ?? .text
        self.warnings = warnings
        guard let database else { return nil }
        self.database = database
    }
}

extension Settings {
    /// What the admin API takes too: a channel that says nothing must be one that could say it.
    private static var retentionBounds: ClosedRange<Int> {
        let bounds = ChannelSettings.retentionBounds
        return Int(bounds.lowerBound)...Int(bounds.upperBound)
    }
}

/// What one playlist may ever hold, seconds.
private let longestWindow = Int(ViewerConfiguration.longestWindowSeconds)

extension SettingSources {
    private static let noStore = "this build stores in a directory"

    /// Names nobody asks for, and values that nothing comes of.
    fileprivate var warnings: [String] {
        let unknown = unknownVariables.map { "\($0) (environment) is no setting of this program" }
        let reasons: [Setting: String] = [
            .s3Endpoint: Self.noStore, .s3Region: Self.noStore, .s3AccessKey: Self.noStore,
            .s3SecretKey: Self.noStore, .publicURL: "every URL that this build writes is a relative one",
        ]
        let idle = reasons.compactMap { setting, reason in
            written(setting).map { "\(setting.rawValue) (\($0.origin)) is not used: \(reason)" }
        }.sorted()
        return unknown + idle
    }
}

extension SettingReader {
    /// What a role cannot do without, and what this build cannot do.
    fileprivate mutating func refuseWhatIsMissing(for role: Role) {
        if role.wantsAdminToken, sources.written(.adminToken) == nil {
            refuse(
                .adminToken,
                "it must be set for \(role.rawValue); only `backcast run` makes a token by itself")
        }
        if role.servesViewers, sources.written(.playbackSecret) != nil {
            refuse(
                .playbackSecret,
                "this build cannot check playback tokens, and does not serve openly what is meant to be protected; remove the setting to serve openly"
            )
        }
    }

    fileprivate mutating func database() -> ConnectionString? {
        guard sources.written(.databaseURL) != nil else {
            return try? ConnectionString("postgresql:///backcast")
        }
        return value(.databaseURL, allowed: "a libpq URI such as postgresql://user@host/backcast") {
            try ConnectionString($0)
        }
    }

    fileprivate mutating func address(_ setting: Setting) -> ListenAddress? {
        value(setting, allowed: "an address and a port such as 127.0.0.1:8080") {
            try ListenAddress.reading($0)
        }
    }

    fileprivate mutating func archive() -> String? {
        value(.archive, allowed: "a folder") { text in
            guard !text.lowercased().hasPrefix("s3:") else {
                throw ProgramError("this build stores in a directory only, not in an S3 bucket")
            }
            return text.isEmpty || text.utf8.contains(0) ? nil : text
        }
    }

    /// The characters that a bearer token may have (RFC 6750 §2.1).
    fileprivate mutating func adminToken() -> Secret? {
        value(.adminToken, allowed: "letters, digits and -._~+/=, at most \(Limits.tokenCharacters)") {
            text in
            TokenForm.allows(text) ? Secret(text) : nil
        }
    }

    fileprivate mutating func proxyNetworks() -> [AddressNetwork]? {
        value(.trustedProxies, allowed: "addresses and networks such as 10.0.0.0/8, with commas between") {
            text in
            try text.split { $0 == "," || $0.isWhitespace }.map { try AddressNetwork.reading(String($0)) }
        }
    }

    fileprivate mutating func minFreeBytes() -> Int64? {
        value(.minFree, allowed: "a number of bytes, also with K, M, G, T or Ki, Mi, Gi, Ti") { text in
            ByteCount.reading(text)
        }
    }

    /// As curl writes a proxy; user and password may stand in it.
    fileprivate mutating func sourcesProxy() -> Secret? {
        value(.sourcesProxy, allowed: "an http or https URL such as http://proxy:3128") { text in
            _ = try HTTPURL(text)
            return Secret(text)
        }
    }
}
