/// Reads settings one after the other and collects every fault instead of stopping at the first.
struct SettingReader {
    let sources: SettingSources
    private(set) var faults: [SettingFault]

    init(_ sources: SettingSources) {
        self.sources = sources
        faults = sources.file?.faults ?? []
    }

    /// The value of a setting; nil when it is not written or cannot be read.
    ///
    /// `read` throws, or returns nil where `allowed` says enough.
    mutating func value<Value>(
        _ setting: Setting, allowed: String, _ read: (String) throws -> Value?,
    ) -> Value? {
        guard let written = sources.written(setting) else { return nil }
        do {
            if let value = try read(written.text) { return value }
            refuse(
                setting,
                setting.entry.isSecret
                    ? "allowed is \(allowed)" : "\(written.text.debugDescription) is not \(allowed)")
        } catch {
            refuse(setting, "\(error); allowed is \(allowed)")
        }
        return nil
    }

    /// A whole number of seconds in a range.
    mutating func seconds(_ setting: Setting, in range: ClosedRange<Int>) -> Int? {
        count(setting, in: range, of: "a number of seconds")
    }

    mutating func count(
        _ setting: Setting, in range: ClosedRange<Int>, of kind: String = "a number",
    ) -> Int? {
        value(setting, allowed: "\(kind) from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// One of the words of an enumeration.
    mutating func word<Word: RawRepresentable & CaseIterable>(_ setting: Setting, _: Word.Type) -> Word?
    where Word.RawValue == String {
        let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
        return value(setting, allowed: "one of \(words)") { Word(rawValue: $0.lowercased()) }
    }

    /// Records what is wrong with a setting, wherever it was written.
    mutating func refuse(_ setting: Setting, _ reason: String) {
        refuse(SettingFault(setting, sources.written(setting)?.origin, reason))
    }

    mutating func refuse(_ fault: SettingFault) {
        faults.append(fault)
    }
}
