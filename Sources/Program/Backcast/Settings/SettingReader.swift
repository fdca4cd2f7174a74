/// Reads settings one after the other and remembers every fault instead of stopping at the first.
struct SettingReader {
    let sources: SettingSources
    private(set) var faults: [SettingFault]

    init(_ sources: SettingSources) {
        self.sources = sources
        faults = sources.file?.faults ?? []
    }

    /// The value of a setting; nil when it is not written or cannot be read.
    ///
    /// `read` throws, or gives nil where `allowed` says it all.
    mutating func value<Value>(
        _ setting: Setting, allowed: String, _ read: (String) throws -> Value?,
    ) -> Value? {
        guard let written = sources.written(setting) else { return nil }
        do {
            if let value = try read(written.text) { return value }
            refuse(
                setting,
                setting.isSecret
                    ? "allowed is \(allowed)" : "\(written.text.debugDescription) is not \(allowed)")
        } catch {
            refuse(setting, "\(error); allowed is \(allowed)")
        }
        return nil
    }

    /// A whole number of seconds in a range.
    mutating func seconds(_ setting: Setting, in range: ClosedRange<Int>) -> Int? {
        value(setting, allowed: "a number of seconds from \(range.lowerBound) to \(range.upperBound)") {
            text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// One of the words of an enumeration.
    mutating func word<Word: RawRepresentable & CaseIterable>(_ setting: Setting, _: Word.Type) -> Word?
    where Word.RawValue == String {
        let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
        return value(setting, allowed: "one of \(words)") { Word(rawValue: $0.lowercased()) }
    }

    /// A text that is not empty and has no NUL in it, such as a path.
    mutating func text(_ setting: Setting, allowed: String) -> String? {
        value(setting, allowed: allowed) { $0.isEmpty || $0.utf8.contains(0) ? nil : $0 }
    }

    /// Notes what is wrong with a setting, wherever it was written.
    mutating func refuse(_ setting: Setting, _ reason: String) {
        faults.append(SettingFault(setting, sources.written(setting)?.origin, reason))
    }
}

extension Setting {
    /// Whether its value may not stand in a message.
    var isSecret: Bool {
        switch self {
        case .databaseURL, .adminToken, .playbackSecret, .s3AccessKey, .s3SecretKey, .sourcesProxy: true
        default: false
        }
    }
}
