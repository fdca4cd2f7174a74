import HTTPClient
import Testing

@testable import Backcast

@Suite("Where sources may be")
struct SourceAddressesTests {
    @Test(
        "an address in a URL is judged before it is fetched from",
        arguments: [
            ("example.com", 80, nil), ("93.184.216.34", 80, nil), ("10.0.0.1", 80, nil),
            ("127.0.0.1", 8081, nil), ("169.254.169.254", 80, "is a cloud metadata address"),
            ("169.254.0.1", 80, "is a link-local address"), ("[fe80::1]", 80, "is a link-local address"),
            ("127.0.0.1", 8080, "is this service itself"), ("localhost", 9090, "is this service itself"),
            ("[::1]", 8080, "is this service itself"), ("localhost.", 8080, "is this service itself"),
            ("metadata.google.internal.", 80, "is a cloud metadata address"),
            ("2852039166", 80, "is a number that is not written as an address"),
            ("0x7f.1", 80, "is a number that is not written as an address"),
            ("metadata.google.internal", 80, "is a cloud metadata address"),
        ] as [(String, UInt16, String?)])
    func byDefault(host: String, port: UInt16, refusal: String?) throws {
        #expect(try policy([.adminListen: ":9090"]).refusal(host: host, port: port) == refusal)
    }

    @Test(
        "with a list only what stands in it may be named",
        arguments: [
            ("a.example.com", false), ("example.org", true), ("10.0.0.1", true), ("10.1.0.1", true),
        ])
    func listed(host: String, isRefused: Bool) throws {
        let policy = try policy([.sourcesAllow: "*.example.com"])
        #expect((policy.refusal(host: host, port: 80) != nil) == isRefused)
    }

    @Test(
        "the admin API answers to addresses, local names and the names that are set",
        arguments: [
            ("127.0.0.1", true), ("::1", true), ("10.9.8.7", true), ("localhost", true), ("LOCALHOST", true),
            ("api.localhost", true), ("backcast", true), ("Backcast.example.", true),
            ("a.tv.example.org", true), ("tv.example.org", false), ("rebound.example", false), ("", false),
            ("127.0.0.1.example", false),
            ("127.1", false), ("2130706433", false), ("notlocalhost", true), ("recorder.local", true),
            ("backcast.media.svc.cluster.local", true), ("rebound.example.", false), ("0x7f000001", false),
        ])
    func ownHosts(host: String, isOwn: Bool) throws {
        let sources = SettingSources(flags: [.adminHosts: "backcast.example, *.tv.example.org"])
        #expect(try Settings.reading(sources, for: .run).isOwnHost(host) == isOwn)
    }

    @Test("with networks in the list a name must wait for its address")
    func networks() throws {
        let policy = try policy([.sourcesAllow: "10.0.0.0/16"])
        #expect(policy.refusal(host: "example.org", port: 80) == nil)
        #expect(policy.refusal(host: "10.0.0.1", port: 80) == nil)
        #expect(policy.refusal(host: "10.1.0.1", port: 80) != nil)
    }

    private func policy(_ flags: [Setting: String]) throws -> AddressPolicy {
        let settings = try Settings.reading(SettingSources(flags: flags), for: .run)
        return settings.addressPolicy(ownPorts: settings.configuredPorts)
    }
}
