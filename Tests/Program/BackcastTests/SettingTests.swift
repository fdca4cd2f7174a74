import Testing

@testable import Backcast

@Suite("The names of settings")
struct SettingTests {
    @Test(
        "flag and key follow from the variable",
        arguments: [
            (Setting.listen, "listen", "listen"),
            (.databaseURL, "database-url", "database_url"),
            (.minFree, "min-free", "min_free"),
            (.sourcesProxy, "sources-proxy", "sources_proxy"),
        ])
    func names(setting: Setting, flag: String, key: String) {
        #expect(setting.flag == flag)
        #expect(setting.key == key)
    }

    @Test("every variable begins alike, and none is the one that names the file")
    func prefix() {
        #expect(Setting.allCases.allSatisfy { $0.rawValue.hasPrefix("BACKCAST_") })
        #expect(Setting(rawValue: Setting.fileVariable) == nil)
    }
}
