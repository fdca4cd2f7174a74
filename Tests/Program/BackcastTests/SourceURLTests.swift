import Foundation
import JSON
import Testing

@testable import AdminAPI
@testable import Backcast

@Suite("The URL of a source in the OpenAPI document")
struct SourceURLTests {
    private static let taken = [
        "http://origin.example/news/index.m3u8", "HTTPS://Origin.Example", "http://u:p@h:8443/x?y=1#z",
        "http://1@h/@", "http://h:", "http://a_b-c./", "http://a..b", "http://4g", "http://0b/",
        "http://09-x", "http://0xz", "http://0x7g", "http://0x1.tv", "http://1.2.3.4a", "http://1.2.3.4/",
        "http://10.0.0.1:81", "http://127.0.0.1.", "http://0.0.0.0/", "http://223.255.255.255",
        "http://240.0.0.1", "http://255.0.0.1", "http://[::1]:81/", "http://[2001:db8::1]",
    ]
    private static let refused = [
        "HTTP://0", "http://1", "http://00", "http://2130706433/", "http://1.2.3", "http://1.2.3.4.5",
        "http://256.1.1.1", "http://01.2.3.4", "http://1.2.3.04", "http://1.2.3.4..", "http://0x",
        "http://0x7f.1", "http://a.0X7F.", "http://example.1/", "http://u@1/", "http://224.0.0.1",
        "http://239.1.2.3:81/", "ftp://h/", "http://", "http:///x", "//h/", "h", "http://h:0/",
        "http://h:65536/", "http://a@b@c/", "http://[::1", "http://[1::2::3]", "http://a%20b/",
        "http://a,b/", "http://ä/", " http://h/", "http://h/ ", "http://h/\u{7F}",
    ]

    @Test("has the pattern of what the API takes", arguments: taken)
    func takenURL(url: String) throws {
        #expect(try Self.isDescribed(url))
        #expect(try Self.isTaken(url))
    }

    @Test("has a pattern that leaves out what the API refuses", arguments: refused)
    func refusedURL(url: String) throws {
        #expect(try !Self.isDescribed(url))
        #expect(try !Self.isTaken(url))
    }

    private static func isDescribed(_ url: String) throws -> Bool {
        let document = try JSONReader.value(of: try OpenAPIDocument.text(version: "1"))
        let pattern = document["components"]?["schemas"]?["SourceURL"]?["pattern"]
        guard case .string(let text)? = pattern else {
            Issue.record("no pattern")
            return false
        }
        return url.range(of: text, options: .regularExpression) != nil
    }

    private static func isTaken(_ url: String) throws -> Bool {
        let settings = try Settings.reading(SettingSources(flags: [.adminListen: ":9090"]), for: .run)
        let policy = settings.addressPolicy(ownPorts: settings.configuredPorts)
        let reader = ChannelReader(defaultRetentionSeconds: 60) { policy.refusal(host: $0, port: $1) }
        return (try? reader.settings(from: ["id": "a", "source_url": .string(url)])) != nil
    }
}
