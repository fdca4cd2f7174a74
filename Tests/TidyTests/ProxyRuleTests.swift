import Testing

@Suite("Samples of proxies")
struct ProxyRuleTests {
    private static let code = """
            case "/xmltv.php": self = .guide
            case "/a/b.php": self = .past
        """

    @Test(
        "A path that a sample does not pass is found",
        arguments: [
            ("location ~ ^/(t|a)/|^/(xmltv|a/b)\\.php$ {", true), ("location ~ ^/a|^/xmltv\\.php$ {", true),
            ("location ~ ^/(t|b)/|^/(xmltv|b)\\.php$ {", false), ("location ~ ^/xmltv\\.php$ {", false),
            ("if (req.url !~ \"^/(xmltv|a/b)\\.php(\\?|$)\") {", true),
            ("if (req.url !~ \"^/xmltv\\.php(\\?|$)\") {", false),
            ("- path: /xmltv.php\n  - path: /a/b.php", true), ("- path: /xmltv.php\n  - path: /a", false),
        ])
    func samples(text: String, passes: Bool) {
        let findings = ProxyRule.findings(in: [
            TextFile(ProxyRule.source, Self.code), TextFile("deploy/a.sample", text),
            TextFile(ProxyRule.counted, "[\"/xmltv.php\", \"/a/b.php\"]"),
        ])
        #expect(findings.map(\.reason) == (passes ? [] : ["does not pass /a/b.php"]))
    }

    @Test("A path that is not counted is found")
    func counted() {
        let findings = ProxyRule.findings(in: [
            TextFile(ProxyRule.source, Self.code), TextFile("deploy/a.sample", "location ~ xmltv|a/b {"),
            TextFile(ProxyRule.counted, "[\"/xmltv.php\"]"),
        ])
        #expect(findings == [Finding(path: ProxyRule.counted, reason: "lacks /a/b.php")])
    }
}
