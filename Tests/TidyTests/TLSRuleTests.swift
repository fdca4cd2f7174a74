import Testing

@Suite("Samples with TLS")
struct TLSRuleTests {
    private static let server = "server {\n    listen 443 ssl http2;\n    server_name tv.example;\n}\n"
    private static let ingress = "tls:\n    - hosts: [tv.example]\n"

    @Test(
        "TLS without an address for lists is found",
        arguments: [
            (server + "# BACKCAST_PUBLIC_URL=https://tv.example", true),
            (server + "# BACKCAST_PUBLIC_URL=http://tv.example", false), (server, false), (ingress, false),
            (ingress + "- {name: BACKCAST_PUBLIC_URL, value: \"https://tv.example\"}", true),
        ])
    func lists(text: String, isNamed: Bool) {
        let findings = TLSRule.findings(in: [TextFile("deploy/a.sample", text)])
        #expect(
            findings.map(\.reason)
                == (isNamed ? [] : ["lacks BACKCAST_PUBLIC_URL with https://tv.example"]))
    }

    @Test("It may stand in another file of the folder, and in no other folder")
    func folders() {
        let setting = "BACKCAST_PUBLIC_URL=https://tv.example"
        let paths = ["deploy/a/service.yaml", "deploy/service.yaml"]
        let counts = paths.map { path in
            TLSRule.findings(in: [TextFile("deploy/a/ingress.yaml", Self.ingress), TextFile(path, setting)])
                .count
        }
        #expect(counts == [0, 1])
    }

    @Test("Without a sample that has TLS the rule has lost its subject")
    func subject() {
        #expect(TLSRule.findings(in: [TextFile("deploy/a.sample", "listen 80;")]).count == 1)
    }
}
