import Foundation

/// The file of another program.
package enum ProgramFile {
    /// The path of an executable file, looked for in the folders of PATH; nil if there is none.
    ///
    /// It asks the disk each time, so that a program that is installed later is found.
    package static func path(of name: String) -> String? {
        path(of: name, in: searchPath)
    }

    /// The first missing program of those that a run needs; nil if none is missing.
    ///
    /// They are `name`, and setpriv and prlimit, through which it is started.
    package static func missing(toRun name: String) -> String? {
        missing(toRun: name, in: searchPath)
    }

    static func missing(toRun name: String, in folders: String) -> String? {
        ["setpriv", "prlimit", name].first { path(of: $0, in: folders) == nil }
    }

    /// The folders in which programs are looked for.
    static var searchPath: String { ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin" }

    private static func path(of name: String, in folders: String) -> String? {
        let paths = name.contains("/") ? [name] : folders.split(separator: ":").map { "\($0)/\(name)" }
        return paths.first(where: FileManager.default.isExecutableFile)
    }
}
