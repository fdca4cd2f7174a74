import Glibc

extension Disk {
    /// Makes a folder; an existing one is not an error.
    package func makeFolder(_ path: String, mode: UInt32 = 0o755) throws(Failure) {
        try attempt(.makeFolder, path, tolerating: [EEXIST]) { unsafe mkdir(path, mode) }
    }

    /// Makes a folder and its parents; returns its path without a slash at the end.
    package func makeFolders(_ path: String) throws(Failure) -> String {
        var made = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            made += "/" + part
            try makeFolder(made)
        }
        return made
    }

    /// Makes the names in a folder durable.
    package func syncFolder(_ path: String) throws(Failure) {
        try sync(try open(path, O_RDONLY | O_DIRECTORY))
    }

    /// Removes an empty folder; returns whether it is gone.
    @discardableResult
    package func removeEmptyFolder(_ path: String) throws(Failure) -> Bool {
        let result = try attempt(.remove, path, tolerating: [ENOENT, ENOTEMPTY]) { unsafe rmdir(path) }
        return result != -ENOTEMPTY
    }

    /// The names in a folder; empty when the folder does not exist.
    package func list(_ path: String) throws(Failure) -> [String] {
        try check(.list, path)
        guard let folder = try FolderHandle<Failure>.open(path) else { return [] }
        var names: [String] = []
        while let name = try folder.next() { names.append(name) }
        return names
    }
}
