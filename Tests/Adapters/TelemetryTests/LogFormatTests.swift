import Logging
import Testing

@testable import Telemetry

@Suite("Log lines")
struct LogFormatTests {
    private func line(_ format: LogFormat, _ message: String, _ metadata: Logger.Metadata = [:]) -> String {
        format.line(time: "T", level: .warning, label: "recorder", message: message, metadata: metadata)
    }

    @Test("Text: metadata sorted by key, quoted where a word would not stay one")
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
        "Nothing logged can begin another line or steer a terminal",
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

    @Test("An endless text is cut")
    func length() {
        let endless = String(repeating: "x", count: Limits.logTextCharacters * 3)
        #expect(line(.text, endless).count < Limits.logTextCharacters + 100)
        #expect(line(.json, "m", ["k": .string(endless)]).count < Limits.logTextCharacters + 100)
    }

    @Test(
        "Times are RFC 3339 with milliseconds",
        arguments: [
            (Int64(0), "1970-01-01T00:00:00.000Z"), (951_782_400_123, "2000-02-29T00:00:00.123Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ])
    func time(milliseconds: Int64, expected: String) {
        #expect(LogTime.text(milliseconds: milliseconds) == expected)
    }
}
