import ArgumentParser

/// The settings as flags of a command: one flag for each entry of the table, and `--config`.
struct SettingFlags: ParsableArguments {
    /// The path of a file of settings.
    private(set) var config: String?
    /// The values that were given, by setting.
    private(set) var values: [Setting: String] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        config = try container.decode(Option<String?>.self, forKey: .config).wrappedValue
        for setting in Setting.allCases {
            values[setting] = try container.decode(Option<String?>.self, forKey: Key(setting)).wrappedValue
        }
    }

    private struct Key: CodingKey {
        static let config = Key(stringValue: "config")

        let stringValue: String
        var intValue: Int? { nil }

        init(_ setting: Setting) { self.init(stringValue: setting.flag) }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

/// ArgumentParser finds the options of a type by reflection: this mirror has one for each setting, so that
/// settings are declared only in the table.
extension SettingFlags: CustomReflectable {
    var customMirror: Mirror {
        let config = Option<String?>(
            name: .customLong(Key.config.stringValue),
            help: "A YAML file of settings, with keys such as database_url (or \(Setting.fileVariable)).")
        let options = Setting.allCases.map { setting -> Mirror.Child in
            let option = Option<String?>(
                name: .customLong(setting.flag), help: ArgumentHelp(setting.entry.help))
            return (Key(setting).stringValue, option)
        }
        return Mirror(self, children: [(Key.config.stringValue, config)] + options, displayStyle: .struct)
    }
}

extension SettingFlags {
    /// Flags, environment and the file that either names.
    func sources(environment: [String: String]) -> SettingSources {
        SettingSources(flags: values, environment: environment, file: file(environment))
    }

    private func file(_ environment: [String: String]) -> SettingFile? {
        if let config { return .reading(path: config, namedBy: .flag("config")) }
        guard let path = environment[Setting.fileVariable], !path.isEmpty else { return nil }
        return .reading(path: path, namedBy: .environment)
    }
}
