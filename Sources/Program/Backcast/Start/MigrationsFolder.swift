import Foundation

/// The folder of the schema's migrations.
enum MigrationsFolder {
    /// The configured folder, else `./migrations`, else the one installed with the program.
    static func path(named: String?, program: String? = installedProgram) throws(ProgramError) -> String {
        let candidates = candidates(named: named, program: program)
        if let found = candidates.first(where: isFolder) { return found }
        throw ProgramError(
            "\(Setting.migrations.rawValue): there is no folder \(candidates.joined(separator: " or "))")
    }

    /// The places to look at, in order.
    static func candidates(named: String?, program: String?) -> [String] {
        named.map { [$0] } ?? ["./migrations"] + installed(beside: program)
    }

    /// For `/usr/local/bin/backcast` the folder is `/usr/local/share/backcast/migrations`.
    private static func installed(beside program: String?) -> [String] {
        guard let program else { return [] }
        let folder = URL(filePath: program).deletingLastPathComponent()
        return [folder, folder.deletingLastPathComponent()].map {
            $0.appending(path: "share/backcast/migrations").path
        }
    }

    private static var installedProgram: String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    }

    private static func isFolder(_ path: String) -> Bool {
        (try? URL(filePath: path).resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true
    }
}
