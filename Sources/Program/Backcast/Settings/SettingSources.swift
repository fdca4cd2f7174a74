/// The place where a value was found.
enum SettingOrigin: Hashable, Sendable, CustomStringConvertible {
    case flag(String)
    case environment
    case file(path: String, line: Int)

    var description: String {
        switch self {
        case .flag(let name): "flag --\(name)"
        case .environment: "environment"
        case .file(let path, let line): "\(path) line \(line)"
        }
    }
}

/// A value as it was written, and its place.
struct WrittenSetting: Hashable, Sendable {
    var text: String
    var origin: SettingOrigin
}

/// All values of settings: a flag overrides the environment, which overrides the file.
struct SettingSources: Sendable {
    var flags: [Setting: String] = [:]
    var environment: [String: String] = [:]
    var file: SettingFile?

    /// The value that counts; an empty environment variable counts as not set.
    func written(_ setting: Setting) -> WrittenSetting? {
        if let text = flags[setting] { return WrittenSetting(text: text, origin: .flag(setting.flag)) }
        if let text = environment[setting.rawValue], !text.isEmpty {
            return WrittenSetting(text: text, origin: .environment)
        }
        return file?.values[setting]
    }

    /// Variables that look like settings but are not: a typing error, or another program's.
    var unknownVariables: [String] {
        environment.keys.filter { name in
            name.hasPrefix(Setting.prefix) && name != Setting.fileVariable && Setting(rawValue: name) == nil
        }.sorted()
    }
}
