import Testing

@Suite("Rules about text")
struct TextRulesTests {
    @Test(
        "A comment beyond 110 columns is found, one at the limit and code are not",
        arguments: [(107, 0), (108, 1)])
    func comments(letters: Int, findings: Int) {
        let letters = String(repeating: "a", count: letters)
        let text = "// \(letters)\nlet a = \"\(letters)\"\n"
        #expect(TextRules.wideComments([TextFile("Sources/A.swift", text)]).count == findings)
    }

    @Test("A file over the limit is found, one at the limit is not", arguments: [(400, 0), (401, 1)])
    func length(lines: Int, findings: Int) {
        let file = TextFile("Sources/A.swift", String(repeating: "\n", count: lines))
        #expect(TextRules.tooLong([file]).count == findings)
    }

    @Test(
        "A mark of unfinished work is found as a word",
        arguments: [
            ("// TO" + "DO: later", 1), ("# FIX" + "ME", 1), ("-- XX" + "X(me)", 1),
            ("mktemp /tmp/a-XX" + "XX" + "XX", 0), ("to do", 0),
        ])
    func unfinished(line: String, findings: Int) {
        #expect(TextRules.unfinished([TextFile("scripts/a.sh", line)]).count == findings)
    }

    @Test(
        "A machine's own folder is found, a relative path and a URL are not",
        arguments: [
            ("cd /ho" + "me/me/backcast", 1), ("see `/wo" + "rk/x`", 1), ("PATH=/opt/sw" + "ift/usr/bin", 1),
            ("https://example.org/ho" + "me/page", 0), ("cp a ./wo" + "rk/b", 0),
            ("/usr/local/bin/backcast", 0),
            ("$TMP/ro" + "ot/x", 0),
        ])
    func machinePaths(line: String, findings: Int) {
        #expect(TextRules.machinePaths([TextFile("README.md", line)]).count == findings)
    }
}
