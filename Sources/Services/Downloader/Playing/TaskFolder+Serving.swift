import Files
import Glibc

extension TaskFolder {
    /// Whether a player may read a name: letters, digits, dots, dashes and underscores, at most one folder
    /// deep, never the description of the task and never a name that begins with a dot.
    static func isServed(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), name != taskFile else { return false }
        return parts.allSatisfy { part in
            guard let first = part.utf8.first, first != UInt8(ascii: ".") else { return false }
            return part.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "-_.".utf8.contains(byte)
            }
        }
    }

    /// Opens a file for a player; nil when it is not there, is a link or no file.
    ///
    /// Each folder on the way is opened by itself, so that no link leads out of the folder of the task.
    func served(_ name: String) async throws(DownloadError) -> ServedFile? {
        guard Self.isServed(name) else { return nil }
        return try await work.run { () throws(DownloadError) in
            do throws(DownloadError) {
                return try open(name)
            } catch .system(.open, _, let number) where [ENOENT, ENOTDIR, ELOOP].contains(number) {
                return nil
            }
        }
    }

    /// Bytes of a part that is being fetched, or was just finished.
    func readGrowing(_ name: String, at offset: Int64, upTo count: Int) async throws(DownloadError) -> [UInt8]
    {
        try await work.run { () throws(DownloadError) in
            for place in [Self.draft(of: name), name] {
                do throws(DownloadError) {
                    let file = try disk.open("\(path)/\(place)", O_RDONLY | O_NOFOLLOW)
                    return try file.read(at: offset, upTo: count)
                } catch .system(.open, _, ENOENT) {
                    continue
                }
            }
            return []
        }
    }

    private func open(_ name: String) throws(DownloadError) -> ServedFile? {
        let parts = name.split(separator: "/")
        var folder = try disk.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        if parts.count == 2 {
            folder = try disk.open(
                "\(Self.place(folder.number))/\(parts[0])", O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        }
        // Opening a pipe would wait for its writer.
        let file = try disk.open(
            "\(Self.place(folder.number))/\(parts[parts.count - 1])", O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        guard try file.status().st_mode & S_IFMT == S_IFREG else { return nil }
        return try ServedFile(file)
    }

    /// The path of an open folder (proc(5)).
    private static func place(_ descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }
}
