import Foundation
import Yams

/// A YAML file of settings: one mapping of keys to texts, numbers, or lists of them for settings that are
/// lists.
struct SettingFile: Sendable {
    var values: [Setting: WrittenSetting] = [:]
    var faults: [SettingFault] = []

    /// Reads a file; everything that is wrong with it becomes a fault.
    static func reading(path: String, namedBy origin: SettingOrigin) -> SettingFile {
        do throws(ProgramError) {
            return parsing(try text(of: path), path: path)
        } catch {
            let fault = SettingFault(
                name: Setting.fileVariable, origin: origin, reason: error.description)
            return SettingFile(faults: [fault])
        }
    }

    /// Parses the text of a file.
    static func parsing(_ text: String, path: String) -> SettingFile {
        var file = SettingFile()
        do {
            guard let root = try Yams.compose(yaml: text), !root.isUnset else { return file }
            guard case .mapping(let mapping) = root else {
                file.refuse(path, at: root, name: path, "it must be a mapping of keys to values")
                return file
            }
            for (key, value) in mapping { file.enter(key, value, path: path) }
        } catch {
            file.refuse(error, path: path)
        }
        return file
    }

    private mutating func enter(_ key: Node, _ value: Node, path: String) {
        let name = key.scalar?.string ?? "a key"
        guard let setting = Setting.allCases.first(where: { $0.key == name }) else {
            return refuse(path, at: key, name: name, "there is no such setting")
        }
        guard !value.isUnset else { return }
        guard let text = setting.entry.isList ? value.listText : value.scalar?.string else {
            let form = setting.entry.isList ? "a text, a number or a list of them" : "one text or number"
            let reason = "\(name) must be \(form), not \(value.kind)"
            return refuse(path, at: key, name: setting.rawValue, reason)
        }
        values[setting] = WrittenSetting(text: text, origin: .file(path: path, line: key.line))
    }

    private mutating func refuse(_ path: String, at node: Node, name: String, _ reason: String) {
        faults.append(SettingFault(name: name, origin: .file(path: path, line: node.line), reason: reason))
    }

    /// The parser's message may quote the line, which may be a secret: only the place is reported.
    private mutating func refuse(_ error: any Error, path: String) {
        let (line, reason) = (error as? YamlError)?.placeAndReason ?? (1, "it is not YAML")
        faults.append(
            SettingFault(name: Setting.fileVariable, origin: .file(path: path, line: line), reason: reason))
    }
}

extension SettingFile {
    private static func text(of path: String) throws(ProgramError) -> String {
        let bytes = try bytes(of: path)
        guard bytes.count <= Limits.settingFileByteCount else {
            throw ProgramError("the file \(path) has more than \(Limits.settingFileByteCount) bytes")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ProgramError("the file \(path) is not UTF-8")
        }
        return text
    }

    /// The bytes of the file, at most one more than the limit.
    private static func bytes(of path: String) throws(ProgramError) -> Data {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("the file \(path) cannot be read", errno) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            return try handle.read(upToCount: Limits.settingFileByteCount + 1) ?? Data()
        } catch {
            throw ProgramError("\(path) cannot be read: it is not a file")
        }
    }
}

extension Node {
    fileprivate var line: Int { mark?.line ?? 1 }

    /// Whether the key has no value (YAML 1.2 §10.2.1.1, null).
    fileprivate var isUnset: Bool {
        guard case .scalar(let scalar) = self else { return false }
        return scalar.style == .plain && ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    /// The kind of a value in the words of a user.
    fileprivate var kind: String {
        switch self {
        case .scalar: "a text"
        case .sequence: "a list"
        case .mapping: "a mapping"
        case .alias: "an alias"
        }
    }

    /// The text of a scalar, or the texts of a list joined by commas.
    fileprivate var listText: String? {
        switch self {
        case .scalar(let scalar):
            return scalar.string
        case .sequence(let sequence):
            let texts = sequence.compactMap(\.scalar?.string)
            return texts.count == sequence.count ? texts.joined(separator: ",") : nil
        case .mapping, .alias:
            return nil
        }
    }
}

extension YamlError {
    fileprivate var placeAndReason: (line: Int, reason: String) {
        switch self {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            (mark.line, "it is not YAML: \(problem)")
        case .duplicatedKeysInMapping(let duplicates, let context):
            (
                context.mark.line,
                "a key appears twice: \(duplicates.map(String.init(describing:)).joined(separator: ", "))"
            )
        default:
            (1, "it is not YAML")
        }
    }
}
