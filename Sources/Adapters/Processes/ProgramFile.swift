import Foundation

/// The file of another program.
package enum ProgramFile {
    /// The path of an executable file, looked for in the folders of PATH; nil if there is none.
    ///
    /// It asks the disk each time, so that a program that is installed later is found.
    package static func path(of name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.lazy.map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
    }
}
