import ArgumentParser
import TestSupport
import Testing

@testable import Backcast

@Suite("Flags")
struct SettingFlagsTests {
    @Test("every setting is a flag", arguments: Setting.allCases)
    func flag(setting: Setting) throws {
        let flags = try SettingFlags.parse(["--\(setting.flag)", "x"])
        #expect(flags.values == [setting: "x"])
    }

    @Test("the help has every flag with its text, and no other")
    func help() {
        let help = SettingFlags.helpMessage(columns: 1000)
        let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for setting in Setting.allCases {
            #expect(words.contains("--\(setting.flag) <\(setting.flag)> \(setting.entry.help)"))
        }
        let flags = help.matches(of: /(?m)^ *--([a-z-]+)/).map { String($0.1) }
        #expect(Set(flags) == Set(Setting.allCases.map(\.flag) + ["config"]))
    }

    @Test("without flags nothing is given")
    func none() throws {
        #expect(try SettingFlags.parse([]).values.isEmpty)
    }

    @Test("the file is the one that the flag names, else the variable's")
    func file() throws {
        let folder = try TemporaryFolder()
        let first = try folder.write("max_window: 1", to: "first.yaml")
        let second = try folder.write("max_window: 2", to: "second.yaml")
        let environment = ["BACKCAST_CONFIG": second]
        let flagged = try SettingFlags.parse(["--config", first]).sources(environment: environment)
        #expect(flagged.written(.maxWindow)?.text == "1")
        let plain = try SettingFlags.parse([]).sources(environment: environment)
        #expect(plain.written(.maxWindow)?.text == "2")
        #expect(try SettingFlags.parse([]).sources(environment: [:]).file == nil)
    }
}
