import HTTPServer
import Logging
import Postgres
import Telemetry
import Testing

@testable import Backcast

@Suite("Settings")
struct SettingsTests {
    @Test("the defaults are those of the contract")
    func defaults() throws {
        let settings = try Settings.reading(SettingSources(), for: .run)
        #expect(settings.listen == ListenAddress(host: "127.0.0.1", port: 8080))
        #expect(settings.database.hostAndDatabase == "local/backcast")
        #expect(settings.archive == "./var/archive")
        #expect(settings.state == "./var/state")
        #expect(settings.deleteGraceSeconds == 7200)
        #expect(settings.maxWindowSeconds == 86_400)
        #expect(settings.retentionSeconds == 604_800)
        #expect(settings.minFreeBytes == nil)
        #expect(settings.logLevel == .info)
        #expect(settings.logFormat == .text)
        #expect(settings.adminToken == nil && settings.adminListen == nil && settings.sourcesAllow == nil)
        #expect(settings.warnings.isEmpty)
    }

    @Test("the number of server threads is a setting, and one for each core without it")
    func serverThreads() throws {
        let plain = try Settings.reading(SettingSources(environment: [:]), for: .run)
        #expect(plain.serverThreads == nil)
        let set = SettingSources(environment: ["BACKCAST_SERVER_THREADS": "3"])
        #expect(try Settings.reading(set, for: .run).serverThreads == 3)
        for text in ["0", "257", "two"] {
            let wrong = SettingSources(environment: ["BACKCAST_SERVER_THREADS": text])
            #expect(throws: SettingsError.self) { try Settings.reading(wrong, for: .run) }
        }
    }

    @Test("the number of remuxing processes is a setting, and two without it")
    func remuxProcesses() throws {
        let plain = try Settings.reading(SettingSources(environment: [:]), for: .run)
        #expect(plain.remuxProcesses == 2)
        let set = SettingSources(environment: ["BACKCAST_REMUX_PROCESSES": "5"])
        #expect(try Settings.reading(set, for: .run).remuxProcesses == 5)
        for text in ["0", "65", "two"] {
            let wrong = SettingSources(environment: ["BACKCAST_REMUX_PROCESSES": text])
            #expect(throws: SettingsError.self) { try Settings.reading(wrong, for: .run) }
        }
    }

    @Test("recording through a proxy needs the hosts that sources may have")
    func proxy() throws {
        let alone = SettingSources(environment: ["BACKCAST_SOURCES_PROXY": "http://proxy:3128"])
        for role in Role.allCases {
            let names = faults(of: alone, for: role).map(\.name).filter { $0 != "BACKCAST_ADMIN_TOKEN" }
            #expect(names == (role.records ? ["BACKCAST_SOURCES_ALLOW"] : []))
        }
        var both = alone
        both.environment["BACKCAST_SOURCES_ALLOW"] = "*.example.org"
        #expect(faults(of: both, for: .run).isEmpty)
    }

    @Test("a flag overrides the environment, which overrides the file")
    func precedence() throws {
        let file = SettingFile.parsing("max_window: 3\nretention: 61\ndelete_grace: 3\n", path: "f")
        let sources = SettingSources(
            flags: [.maxWindow: "1"],
            environment: [
                "BACKCAST_MAX_WINDOW": "2", "BACKCAST_RETENTION": "60", "BACKCAST_DELETE_GRACE": "",
            ],
            file: file)
        let settings = try Settings.reading(sources, for: .run)
        #expect(settings.maxWindowSeconds == 1)
        #expect(settings.retentionSeconds == 60)
        #expect(settings.deleteGraceSeconds == 3)
    }

    @Test(
        "every value has its own form",
        arguments: [
            (Setting.listen, "[::]:80", "listen = [::]:80"),
            (.adminListen, ":9090", "adminListen = 0.0.0.0:9090"),
            (.minFree, "20Gi", "minFreeBytes = 21474836480"),
            (.logFormat, "JSON", "logFormat = json"),
            (.logLevel, "debug", "logLevel = debug"),
            (.deleteGrace, "0", "deleteGraceSeconds = 0"),
            (.accessLog, "TRUE", "logsRequests = true"),
            (.canonical, "true", "isCanonical = true"),
            (.publicURL, "https://TV.example/a/", "publicBase = https://tv.example/a"),
        ])
    func forms(setting: Setting, text: String, expected: String) throws {
        let settings = try Settings.reading(SettingSources(flags: [setting: text]), for: .run)
        let shown: [String] = Mirror(reflecting: settings).children.map { child in
            let value =
                Mirror(reflecting: child.value).displayStyle == .optional
                ? Mirror(reflecting: child.value).children.first.map { "\($0.value)" } : "\(child.value)"
            return "\(child.label ?? "") = \(value ?? "nil")"
        }
        #expect(shown.contains(expected), "\(shown)")
    }

    @Test(
        "an invalid value is reported with the setting's name, its place and what is allowed",
        arguments: [
            (Setting.listen, "8080", "an address and a port"),
            (.listen, "host.example:80", "an address and a port"),
            (.adminListen, "127.0.0.1:99999", "an address and a port"),
            (.databaseURL, "postgresql://[", "a libpq URI"),
            (.archive, "", "a folder"),
            (.archive, "s3://bucket/prefix", "is not a folder"),
            (.state, "", "a folder"),
            (.adminToken, "two words that are long enough", "letters, digits"),
            (.adminToken, "12345678901234567890123", "24 to 1024"),
            (.adminToken, "change-me-to-a-long-random-text", "none of the samples'"),
            (.adminToken, "trial-token-for-this-machine-only", "none of the samples'"),
            (.playbackSecret, "a-long-random-text-of-your-own", "none of the samples'"),
            (.trustedProxies, "10.0.0.0/8, proxy", "addresses and networks"),
            (.adminHosts, "a.example,10.0.0.1", "names and *.suffixes"),
            (.adminHosts, "a*b", "names and *.suffixes"),
            (.accessLog, "yes", "true or false"),
            (.minFree, "5%", "a number of bytes"),
            (.deleteGrace, "-1", "a number of seconds from 0"),
            (.maxWindow, "0", "a number of seconds from 1"),
            (.publicURL, "tv.example", "an http or https URL"),
            (.publicURL, "https://u:p@tv.example/", "an http or https URL"),
            (.publicURL, "https://tv.example/?a=b", "an http or https URL"),
            (.maxWindow, "2678401", "a number of seconds from 1 to 2678400"),
            (.maxWindow, "99999999999999999999", "a number of seconds from 1"),
            (.retention, "7d", "a number of seconds from 60 to 315360000"),
            (.retention, "59", "a number of seconds from 60"),
            (.sourcesAllow, "ok.example,%%%", "\"%%%\" is neither a host name"),
            (.sourcesAllow, "a*b", "hosts, *.suffixes and networks"),
            (.sourcesProxy, "proxy", "an http or https URL"),
            (.logLevel, "loud", "one of trace, debug, info, notice, warning, error, critical"),
            (.logFormat, "xml", "one of text, json"),
        ])
    func faults(setting: Setting, text: String, reason: String) {
        let sources = SettingSources(environment: [setting.rawValue: text])
        // An empty variable counts as unset, an empty flag does not.
        let given = text.isEmpty ? SettingSources(flags: [setting: text]) : sources
        let faults = faults(of: given, for: .run)
        #expect(faults.count == 1)
        let shown = faults.first?.description ?? ""
        #expect(shown.hasPrefix(setting.rawValue))
        #expect(shown.contains(text.isEmpty ? "flag --\(setting.flag)" : "environment"))
        #expect(shown.contains(reason), "\(shown)")
    }

    @Test("all faults are reported together, also those of the file")
    func together() {
        let sources = SettingSources(
            flags: [.listen: "x"],
            environment: ["BACKCAST_LOG_LEVEL": "loud", "BACKCAST_PLAYBACK_SECRET": "k"],
            file: .parsing("max_window: none\nbogus: 1\n", path: "b.yaml"))
        let faults = faults(of: sources, for: .serve)
        #expect(
            Set(faults.map(\.name)) == [
                "BACKCAST_LISTEN", "BACKCAST_LOG_LEVEL", "BACKCAST_PLAYBACK_SECRET", "BACKCAST_MAX_WINDOW",
                "bogus",
                "BACKCAST_ADMIN_TOKEN",
            ])
        let text = SettingsError(faults: faults).description
        #expect(text.contains("(flag --listen)") && text.contains("(b.yaml line 1)"))
    }

    @Test("only record and serve need the admin token to be set", arguments: Role.allCases)
    func adminToken(role: Role) {
        let names = faults(of: SettingSources(), for: role).map(\.name)
        #expect(names == (role == .record || role == .serve ? ["BACKCAST_ADMIN_TOKEN"] : []))
    }

    @Test(
        "no fault and no dump repeats a secret",
        arguments: [
            Setting.databaseURL, .adminToken, .playbackSecret, .sourcesProxy,
        ])
    func secrets(setting: Setting) {
        let faults = faults(of: SettingSources(flags: [setting: "hunter2 \u{1}://"]), for: .run)
        #expect(!faults.isEmpty)
        #expect(!faults.description.contains("hunter2"))
    }

    @Test("settings can be dumped without showing a secret")
    func dumped() throws {
        let sources = SettingSources(flags: [
            .databaseURL: "postgresql://me:hunter2@db/backcast",
            .adminToken: "hunter2-and-at-least-24-characters",
            .playbackSecret: "hunter2-and-at-least-24-characters",
            .sourcesProxy: "http://me:hunter2@proxy:3128", .sourcesAllow: "origin.example",
        ])
        let settings = try Settings.reading(sources, for: .run)
        var text = "\(settings)"
        dump(settings, to: &text)
        #expect(!text.contains("hunter2"))
    }

    @Test("playback secrets are a list, and each is as long as the admin token")
    func playbackSecrets() throws {
        let (one, other) = (String(repeating: "a", count: 24), String(repeating: "b", count: 1024))
        func read(_ text: String) -> [String]? {
            let sources = SettingSources(environment: ["BACKCAST_PLAYBACK_SECRET": text])
            return try? Settings.reading(sources, for: .run).playbackSecrets.map(\.revealed)
        }
        #expect(read("") == [] && read(one) == [one] && read("\(one), \(other)") == [one, other])
        for text in [
            "hunter2", "\(one),", ",\(one)", "\(one),,\(other)", one.dropLast() + " ", "\(other)b",
            "\(one)\"",
            "change-me-to-a-long-random-text",
        ] {
            #expect(read(text) == nil, "\(text)")
        }
    }

    @Test("an unknown variable is a warning, not a fault")
    func warnings() throws {
        let sources = SettingSources(environment: [
            "BACKCAST_LISTEN_PORT": "1", "BACKCAST_CONFIG": "x", "HOME": "/",
        ])
        let warnings = try Settings.reading(sources, for: .run).warnings
        #expect(warnings == ["BACKCAST_LISTEN_PORT (environment) is not a setting"])
    }

    @Test(
        "A wrong value of a flag ends every role with status 2, and names the flag",
        arguments: [["run"], ["record"], ["serve"], ["migrate"]])
    func wrongFlag(command: [String]) async throws {
        let flag = command == ["migrate"] ? "--database-url" : "--listen"
        let (status, program) = try await DownloadCommandTests.Run.run(command + [flag, "host='"])
        #expect(status == 2)
        #expect(try program.errors.contains(flag))
    }

    private func faults(of sources: SettingSources, for role: Role) -> [SettingFault] {
        do throws(SettingsError) {
            _ = try Settings.reading(sources, for: role)
            return []
        } catch {
            return error.faults
        }
    }
}
