import ArgumentParser
import Foundation

/// A text file that an option names; `-` is standard input.
enum InputFile {
    static func text(of file: String, option: String) throws -> String {
        if file.isEmpty { throw ValidationError("\(option): the name of the file is empty") }
        do {
            let data =
                file == "-"
                ? try FileHandle.standardInput.readToEnd() ?? Data()
                : try Data(contentsOf: URL(filePath: file))
            return String(decoding: data, as: UTF8.self)
        } catch {
            let reason = (error as NSError).localizedFailureReason ?? error.localizedDescription
            throw ValidationError("\(option) \(file) cannot be read: \(reason)")
        }
    }
}
