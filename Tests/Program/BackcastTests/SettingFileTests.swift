import TestSupport
import Testing

@testable import Backcast

@Suite("The file of settings")
struct SettingFileTests {
    @Test("texts, numbers and lists are values, with their lines")
    func values() {
        let file = SettingFile.parsing(
            """
            # sample
            listen: "127.0.0.1:9000"
            max_window: 3600

            trusted_proxies: [10.0.0.0/8, "fd00::/8"]
            retention:
            """, path: "b.yaml")
        #expect(file.faults.isEmpty)
        #expect(file.values.count == 3)
        #expect(
            file.values[.listen]
                == WrittenSetting(text: "127.0.0.1:9000", origin: .file(path: "b.yaml", line: 2)))
        #expect(file.values[.maxWindow]?.text == "3600")
        #expect(file.values[.trustedProxies]?.text == "10.0.0.0/8,fd00::/8")
        #expect(file.values[.trustedProxies]?.origin.description == "b.yaml line 5")
    }

    @Test("an empty file has no values", arguments: ["", "# only a comment\n", "---\n", "~"])
    func empty(text: String) {
        let file = SettingFile.parsing(text, path: "b.yaml")
        #expect(file.values.isEmpty && file.faults.isEmpty)
    }

    @Test("unknown keys are named, each with its line")
    func unknownKeys() {
        let file = SettingFile.parsing("listen: :1\nlisten_port: 3\nBACKCAST_STATE: x\n", path: "b.yaml")
        #expect(file.faults.map(\.name) == ["listen_port", "BACKCAST_STATE"])
        #expect(file.faults.map(\.origin) == [2, 3].map { .file(path: "b.yaml", line: $0) })
    }

    @Test(
        "anything but a mapping of texts is refused",
        arguments: [
            "- listen", "just words", "listen: {port: 8080}", "listen: [[a]]", "listen: a\nlisten: b",
            "listen: [", "listen: [a]", "max_window: [1]", "trusted_proxies: {a: b}",
            "trusted_proxies: [[a]]", "a: b: c",
        ])
    func refused(text: String) {
        #expect(SettingFile.parsing(text, path: "b.yaml").faults.count == 1)
    }

    @Test(
        "a list or mapping in place of a single value is reported with key and line",
        arguments: [("[1]", "a list"), ("\n    - 1", "a list"), ("{a: 1}", "a mapping"), ("[]", "a list")])
    func nested(value: String, kind: String) {
        let file = SettingFile.parsing("listen: :80\nmax_window: \(value)\n", path: "b.yaml")
        #expect(file.values[.maxWindow] == nil)
        #expect(
            file.faults.map(\.description) == [
                "BACKCAST_MAX_WINDOW (b.yaml line 2): max_window must be one text or number, not \(kind)"
            ])
    }

    @Test("a syntax error does not repeat the text, which may be a secret")
    func syntaxErrorHidesText() {
        let file = SettingFile.parsing("listen: :80\nadmin_token: \"hunter2\n", path: "b.yaml")
        #expect(!file.faults.isEmpty)
        #expect(!file.faults.description.contains("hunter2"))
    }

    @Test("a file that is missing, not text or too large is a fault of the setting that names it")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        let large = try folder.write(
            String(repeating: "#", count: Limits.settingFileByteCount + 1), to: "large")
        for path in [folder.path(of: "none.yaml"), large, folder.path] {
            let file = SettingFile.reading(path: path, namedBy: .flag("config"))
            #expect(file.faults.map(\.name) == ["BACKCAST_CONFIG"])
            #expect(file.faults.first?.origin == .flag("config"))
            #expect(file.faults.first?.reason.contains(path) == true)
        }
    }

    @Test("a missing file and a folder in its place have plain messages")
    func plainWords() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "none.yaml")
        let missing = SettingFile.reading(path: path, namedBy: .environment)
        #expect(
            missing.faults.map(\.description) == [
                "BACKCAST_CONFIG (environment): the file \(path) cannot be read: No such file or directory"
            ])
        let other = SettingFile.reading(path: folder.path, namedBy: .environment)
        #expect(other.faults.map(\.reason) == ["\(folder.path) cannot be read: it is not a file"])
    }
}
