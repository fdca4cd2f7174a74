import Logging
import Testing

@testable import Telemetry

@Suite("Log lines")
struct LogFormatTests {
    private func line(_ format: LogFormat, _ message: String, _ metadata: Logger.Metadata = [:]) -> String {
        format.line(time: "T", level: .warning, label: "recorder", message: message, metadata: metadata)
    }

    @Test("Text: metadata sorted by key, quoted where needed")
    func text() {
        let metadata: Logger.Metadata = [
            "b": "two words", "a": "plain", "c": "", "d": "x=y", "e": ["1", "2"], "f": ["k": "v"],
            "g": "say \"hi\"",
        ]
        #expect(
            line(.text, "Segment lost", metadata)
                == "T warning recorder Segment lost a=plain b=\"two words\" c=\"\" d=\"x=y\" e=[1,2] f={k:v} "
                + "g=\"say \\\"hi\\\"\"")
    }

    @Test("JSON: one object, members in a fixed order")
    func json() {
        #expect(
            line(.json, "Say \"hi\"\\", ["n": .stringConvertible(5), "a": ["x"], "d": ["k": "v"]])
                == #"{"time":"T","level":"warning","label":"recorder","message":"Say \"hi\"\\","#
                + #""metadata":{"a":["x"],"d":{"k":"v"},"n":"5"}}"#)
    }

    @Test(
        "Logged text cannot begin another line or control a terminal",
        arguments: [
            "\n", "\r", "\u{0}", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{2028}", "\u{2029}", "\u{202E}",
        ])
    func forgery(character: String) {
        for format in LogFormat.allCases {
            let line = line(
                format, "a\(character)b", ["k\(character)": "v\(character)", "l": [.string(character)]])
            #expect(!line.unicodeScalars.contains { character.unicodeScalars.contains($0) })
        }
    }

    @Test("A long text is cut")
    func length() {
        let endless = String(repeating: "x", count: Limits.logTextCharacters * 3)
        #expect(line(.text, endless).count < Limits.logTextCharacters + 100)
        #expect(line(.json, "m", ["k": .string(endless)]).count < Limits.logTextCharacters + 100)
    }
}
