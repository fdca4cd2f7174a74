/// What is wrong with one setting; the text never contains a secret value.
struct SettingFault: Hashable, Sendable, CustomStringConvertible {
    /// The setting as its variable, or the unknown key as it was written.
    var name: String
    var origin: SettingOrigin?
    var reason: String

    init(_ setting: Setting, _ origin: SettingOrigin?, _ reason: String) {
        self.init(name: setting.rawValue, origin: origin, reason: reason)
    }

    init(name: String, origin: SettingOrigin?, reason: String) {
        self.name = name
        self.origin = origin
        self.reason = reason
    }

    var description: String {
        guard let origin else { return "\(name): \(reason)" }
        return "\(name) (\(origin)): \(reason)"
    }
}

/// Everything that is wrong with the settings, reported together.
struct SettingsError: Error, Sendable, CustomStringConvertible {
    var faults: [SettingFault]

    /// Whether one of the values is that of a flag: a wrong argument.
    var hasWrongFlag: Bool {
        faults.contains { fault in
            if case .flag = fault.origin { true } else { false }
        }
    }

    var description: String {
        let lines = faults.map { "  \($0)" }.joined(separator: "\n")
        return "the settings cannot be used:\n\(lines)"
    }
}
