import Foundation
import Testing

@testable import Backcast

/// The samples of `deploy/`, held against the settings that the program knows.
@Suite("The samples of settings")
struct SettingSamplesTests {
    private func sample(_ name: String) throws -> String {
        var root = URL(filePath: #filePath)
        for _ in 1...4 { root.deleteLastPathComponent() }
        return try String(contentsOf: root.appending(path: "deploy/\(name)"), encoding: .utf8)
    }

    /// The values of the environment sample by variable, also of those that are commented out.
    private func environment() throws -> [String: String] {
        let pairs = try sample("backcast.env.sample").split(separator: "\n").compactMap { line in
            line.wholeMatch(of: /#?(BACKCAST_[A-Z0-9_]+)=(.*)/).map { (String($0.1), String($0.2)) }
        }
        return Dictionary(pairs, uniquingKeysWith: { _, last in last })
    }

    @Test("the environment sample has every setting and nothing else")
    func complete() throws {
        #expect(
            try Set(environment().keys) == Set(Setting.allCases.map(\.rawValue) + [Setting.fileVariable]))
    }

    @Test("the values of the environment sample are the defaults")
    func defaults() throws {
        let given = try Settings.reading(SettingSources(environment: try environment()), for: .run)
        let none = try Settings.reading(SettingSources(), for: .run)
        #expect("\(given)" == "\(none)")
    }

    @Test("the file sample can be used, also with all that is commented out, but needs another secret")
    func file() throws {
        let text = try sample("backcast.yaml.sample").replacing(/(?m)^#(?=[a-z_]+:)/, with: "")
            .replacing(/(?m)^playback_secret: .*$/, with: "playback_secret: 0123456789abcdef01234567")
        let file = SettingFile.parsing(text, path: "sample")
        #expect(file.values.count > 10)
        _ = try Settings.reading(SettingSources(file: file), for: .run)
    }
}
