import HTTP
import HTTPClient
import HTTPServer
import Postgres
import ViewerAPI

/// The forms of values, each with a description of what is allowed.
extension SettingReader {
    mutating func folder(_ setting: Setting) -> String? {
        value(setting, allowed: "a folder") { text in
            text.isEmpty || text.utf8.contains(0) || text.contains("://") ? nil : text
        }
    }

    mutating func flag(_ setting: Setting) -> Bool? {
        value(setting, allowed: "true or false") { text in Bool(text.lowercased()) }
    }

    mutating func publicBase() -> PublicBase? {
        value(.publicURL, allowed: "an http or https URL without user, password and query") {
            PublicBase(reading: $0)
        }
    }

    mutating func database() -> ConnectionString? {
        guard sources.written(.databaseURL) != nil else {
            return try? ConnectionString("postgresql:///backcast")
        }
        return value(.databaseURL, allowed: "a libpq URI such as postgresql://user@host/backcast") {
            try ConnectionString($0)
        }
    }

    mutating func address(_ setting: Setting) -> ListenAddress? {
        value(setting, allowed: "an address and a port such as 127.0.0.1:8080") {
            try ListenAddress.reading($0)
        }
    }

    private static let secretForm =
        "\(Limits.minTokenCharacters) to \(Limits.tokenCharacters) letters, digits and -._~+/=, and none of the samples'"

    mutating func adminToken() -> Secret? {
        value(.adminToken, allowed: Self.secretForm) { text in
            Secret.isStrong(text) ? Secret(text) : nil
        }
    }

    /// As the admin token, and any number of them.
    mutating func playbackSecrets() -> [Secret]? {
        value(
            .playbackSecret, allowed: "a list of secrets, separated by commas, each of \(Self.secretForm)"
        ) { text in
            let texts = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
                String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
            return texts.allSatisfy(Secret.isStrong) ? texts.map { Secret($0) } : nil
        }
    }

    mutating func hosts(_ setting: Setting) -> [HostPattern]? {
        value(setting, allowed: "names and *.suffixes, separated by commas") { text in
            let list = try AllowList.reading(text)
            return list.networks.isEmpty ? list.hosts : nil
        }
    }

    mutating func networks(_ setting: Setting) -> [AddressNetwork]? {
        value(setting, allowed: "addresses and networks such as 10.0.0.0/8, separated by commas") { text in
            try text.split { $0 == "," || $0.isWhitespace }.map { try AddressNetwork.reading(String($0)) }
        }
    }

    mutating func allowList(_ setting: Setting) -> AllowList? {
        value(setting, allowed: "hosts, *.suffixes and networks") { try AllowList.reading($0) }
    }

    mutating func byteCount(_ setting: Setting) -> Int64? {
        value(setting, allowed: "a number of bytes, also with K, M, G, T or Ki, Mi, Gi, Ti") {
            ByteCount.reading($0)
        }
    }

    /// A URL as curl takes a proxy; it may contain a user and a password.
    mutating func proxy(_ setting: Setting) -> Secret? {
        value(setting, allowed: "an http or https URL such as http://proxy:3128") { text in
            _ = try HTTPURL(text)
            return Secret(text)
        }
    }
}

extension SettingReader {
    /// Refuses missing settings that a role or another setting needs.
    mutating func checkRequirements(of role: Role) {
        let hasProxy = sources.written(.sourcesProxy) != nil
        let isReadable = !faults.contains { $0.name == Setting.sourcesProxy.rawValue }
        if role.records, hasProxy, isReadable, sources.written(.sourcesAllow) == nil {
            refuse(
                .sourcesAllow,
                "it must be set with \(Setting.sourcesProxy.rawValue): the proxy resolves names, so their addresses cannot be checked here"
            )
        }
        if role.needsAdminToken, sources.written(.adminToken) == nil {
            refuse(
                .adminToken,
                "it must be set for \(role.rawValue); only `backcast run` generates a token itself")
        }
    }
}
