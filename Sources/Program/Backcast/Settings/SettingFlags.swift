import ArgumentParser

/// The settings as flags of a command.
struct SettingFlags: ParsableArguments {
    @Option(help: "A YAML file of settings, with keys such as database_url (or \(Setting.fileVariable)).")
    var config: String?

    @Option(name: .setting(.listen), help: "Address and port to listen on.")
    var listen: String?
    @Option(
        name: .setting(.databaseURL), help: "libpq URI of the catalogue. A password is better told by a file."
    )
    var databaseURL: String?
    @Option(name: .setting(.archive), help: "Folder of the recorded segments.")
    var archive: String?
    @Option(name: .setting(.s3Endpoint), help: .hidden)
    var s3Endpoint: String?
    @Option(name: .setting(.s3Region), help: .hidden)
    var s3Region: String?
    @Option(name: .setting(.s3AccessKey), help: .hidden)
    var s3AccessKey: String?
    @Option(name: .setting(.s3SecretKey), help: .hidden)
    var s3SecretKey: String?
    @Option(name: .setting(.state), help: "Folder of the journal and of generated secrets.")
    var state: String?
    @Option(
        name: .setting(.adminToken),
        help: "Bearer token of the admin API; other users of the machine see flags.")
    var adminToken: String?
    @Option(name: .setting(.playbackSecret), help: .hidden)
    var playbackSecret: String?
    @Option(name: .setting(.adminListen), help: "Another address for /api, /metrics and the console.")
    var adminListen: String?
    @Option(name: .setting(.publicURL), help: "How the service is reached from outside.")
    var publicURL: String?
    @Option(name: .setting(.trustedProxies), help: "Networks whose connections are not counted per address.")
    var trustedProxies: String?
    @Option(name: .setting(.minFree), help: "Bytes of the archive's disk that stay free, such as 20Gi.")
    var minFree: String?
    @Option(name: .setting(.deleteGrace), help: "Seconds that bytes outlive their entry in the catalogue.")
    var deleteGrace: String?
    @Option(name: .setting(.migrations), help: "Folder of the schema's migrations.")
    var migrations: String?
    @Option(name: .setting(.maxWindow), help: "Longest window, seconds.")
    var maxWindow: String?
    @Option(name: .setting(.retention), help: "How long new channels keep what is recorded, seconds.")
    var retention: String?
    @Option(name: .setting(.sourcesAllow), help: "Hosts and networks that sources may point to.")
    var sourcesAllow: String?
    @Option(name: .setting(.sourcesProxy), help: "Proxy through which sources are fetched.")
    var sourcesProxy: String?
    @Option(name: .setting(.logLevel), help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel: String?
    @Option(name: .setting(.logFormat), help: "text or json.")
    var logFormat: String?

    /// What was given, by setting.
    var values: [Setting: String] {
        var values: [Setting: String] = [:]
        for setting in Setting.allCases { values[setting] = value(of: setting) }
        return values
    }

    private func value(of setting: Setting) -> String? {
        switch setting {
        case .listen: listen
        case .databaseURL: databaseURL
        case .archive: archive
        case .s3Endpoint: s3Endpoint
        case .s3Region: s3Region
        case .s3AccessKey: s3AccessKey
        case .s3SecretKey: s3SecretKey
        case .state: state
        case .adminToken: adminToken
        case .playbackSecret: playbackSecret
        case .adminListen: adminListen
        case .publicURL: publicURL
        case .trustedProxies: trustedProxies
        case .minFree: minFree
        case .deleteGrace: deleteGrace
        case .migrations: migrations
        case .maxWindow: maxWindow
        case .retention: retention
        case .sourcesAllow: sourcesAllow
        case .sourcesProxy: sourcesProxy
        case .logLevel: logLevel
        case .logFormat: logFormat
        }
    }
}

extension SettingFlags {
    /// Flags, environment and the file that either names.
    func sources(environment: [String: String]) -> SettingSources {
        SettingSources(flags: values, environment: environment, file: file(environment))
    }

    private func file(_ environment: [String: String]) -> SettingFile? {
        if let config { return .reading(path: config, namedBy: .flag("config")) }
        guard let path = environment[Setting.fileVariable], !path.isEmpty else { return nil }
        return .reading(path: path, namedBy: .environment)
    }
}

extension NameSpecification {
    fileprivate static func setting(_ setting: Setting) -> NameSpecification {
        .customLong(setting.flag)
    }
}
