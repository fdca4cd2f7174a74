import Files
import Glibc

/// The folder of one task: nothing outside of it is ever read or written.
///
/// Names inside are made by this module, never by a source. A file gets its name when its bytes are on the
/// disk, so that what has a name is whole.
struct TaskFolder: Sendable {
    static let taskFile = "task.json"

    /// Without a slash at the end.
    let path: String
    let disk: Disk<DownloadError>
    let work: FileWork

    init(_ path: String, disk: Disk<DownloadError> = Disk(), work: FileWork) {
        self.path = path
        self.disk = disk
        self.work = work
    }

    /// Makes the folder, and folders in it; a link in their place is refused.
    func make(_ names: [String] = []) async throws(DownloadError) {
        try await work.run { () throws(DownloadError) in
            for name in [path] + names.map({ "\(path)/\($0)" }) {
                try disk.makeFolder(name)
                guard (try? disk.open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)) != nil else {
                    throw .folder("\(name) is not a folder of its own")
                }
            }
        }
    }

    /// Whether the folder is empty, apart from the draft of a process that was killed while creating the
    /// task.
    func isUnused() async throws(DownloadError) -> Bool {
        try await work.run { () throws(DownloadError) in
            try disk.list(path).allSatisfy { $0 == Self.draft(of: Self.taskFile) }
        }
    }

    /// Writes a whole file in one step.
    func replace(_ name: String, with bytes: [UInt8], mode: mode_t = 0o644) async throws(DownloadError) {
        try await work.run { () throws(DownloadError) in
            let draft = try location(of: Self.draft(of: name))
            try disk.remove(draft)
            let file = try disk.open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
            try disk.write(bytes, to: file)
            try disk.sync(file)
            try disk.rename(draft, to: try location(of: name))
        }
    }

    /// Adds bytes to a file and makes them durable.
    func append(_ bytes: [UInt8], to name: String, mode: mode_t = 0o644) async throws(DownloadError) {
        try await work.run { () throws(DownloadError) in
            let file = try open(name, O_WRONLY | O_CREAT | O_APPEND, mode: mode)
            try disk.write(bytes, to: file)
            try disk.sync(file)
        }
    }

    /// Adds bytes to the draft of a file, which has no name of its own yet.
    func write(_ bytes: [UInt8], toDraftOf name: String, isFirst: Bool) async throws(DownloadError) {
        try await work.run { () throws(DownloadError) in
            try disk.write(bytes, to: try openDraft(of: name, isFirst: isFirst))
        }
    }

    /// Adds the last bytes to the draft of a file, makes it durable and gives it its name.
    func write(_ bytes: [UInt8], completing name: String, isFirst: Bool) async throws(DownloadError) {
        try await work.run { () throws(DownloadError) in
            let file = try openDraft(of: name, isFirst: isFirst)
            try disk.write(bytes, to: file)
            try commit(file, as: name)
        }
    }

    /// Makes a draft durable and gives it its name.
    func commit(_ name: String) async throws(DownloadError) {
        try await work.run { () throws(DownloadError) in
            try commit(try open(Self.draft(of: name), O_WRONLY), as: name)
        }
    }

    /// Removes the draft of a file, if there is one.
    func dropDraft(of name: String) async throws(DownloadError) {
        try await work.run { () throws(DownloadError) in
            _ = try disk.remove(try location(of: Self.draft(of: name)))
        }
    }

    /// Removes the folder with all that the module puts into one: two levels of files.
    ///
    /// The description of the task goes last, so that what was interrupted can be removed again.
    func removeAll() async throws(DownloadError) {
        try await work.run { () throws(DownloadError) in
            for name in try disk.list(path) where name != Self.taskFile {
                if let inner = try? disk.open("\(path)/\(name)", O_RDONLY | O_DIRECTORY | O_NOFOLLOW) {
                    for file in try disk.list(inner.path) { _ = try disk.remove("\(inner.path)/\(file)") }
                    _ = try disk.removeEmptyFolder(inner.path)
                } else {
                    _ = try disk.remove("\(path)/\(name)")
                }
            }
            _ = try disk.remove("\(path)/\(Self.taskFile)")
            _ = try disk.removeEmptyFolder(path)
        }
    }

    /// Removes an empty folder of the task.
    func removeFolder(_ name: String) async throws(DownloadError) {
        try await work.run { () throws(DownloadError) in
            _ = try disk.removeEmptyFolder(try location(of: name))
        }
    }

    func remove(_ name: String) async throws(DownloadError) {
        try await work.run { () throws(DownloadError) in _ = try disk.remove(try location(of: name)) }
    }

    /// The bytes of a file; nil when it does not exist.
    func read(_ name: String, upTo limit: Int) async throws(DownloadError) -> [UInt8]? {
        try await work.run { () throws(DownloadError) in
            let path = try location(of: name)
            guard try disk.byteCount(of: path) != nil else { return nil }
            let file = try disk.open(path, O_RDONLY | O_NOFOLLOW)
            return try file.read(at: 0, upTo: Int(min(Int64(file.status().st_size), Int64(limit))))
        }
    }

    /// The next bytes of a file from an offset on; none at its end.
    func piece(of name: String, at offset: Int64) async throws(DownloadError) -> [UInt8] {
        try await work.run { () throws(DownloadError) in
            try open(name, O_RDONLY).read(at: offset, upTo: Limits.joinedPieceBytes)
        }
    }

    /// The bytes of a file that is of no use in part; nil when it does not exist.
    func readWhole(_ name: String, upTo limit: Int) async throws(DownloadError) -> [UInt8]? {
        let bytes = try await read(name, upTo: limit + 1)
        guard bytes?.count ?? 0 <= limit else {
            throw .folder("\(path)/\(name) cannot be read: it has more than \(limit >> 20) MiB")
        }
        return bytes
    }

    /// The lengths of the files in a folder of the task, without drafts.
    func lengths(in folder: String) async throws(DownloadError) -> [String: Int64] {
        try await work.run { () throws(DownloadError) in
            let place = try location(of: folder)
            var lengths: [String: Int64] = [:]
            for name in try disk.list(place) where !name.hasPrefix(".") {
                lengths[name] = try disk.byteCount(of: "\(place)/\(name)")
            }
            return lengths
        }
    }

    /// The length of the draft of a file; nil when there is none.
    func draftLength(of name: String) async throws(DownloadError) -> Int64? {
        try await work.run { () throws(DownloadError) in
            try disk.byteCount(of: try location(of: Self.draft(of: name)))
        }
    }

    /// Makes the names in folders durable.
    func sync(_ folders: [String]) async throws(DownloadError) {
        try await work.run { () throws(DownloadError) in
            for folder in folders { try disk.syncFolder("\(path)/\(folder)") }
            try disk.syncFolder(path)
        }
    }

    /// Joins files of the task to one draft, in order.
    func join(_ names: [String], toDraftOf target: String) async throws(DownloadError) {
        for (index, name) in names.enumerated() {
            if Task.isCancelled { throw .cancelled }
            try await work.run { () throws(DownloadError) in
                let draft = try openDraft(of: target, isFirst: index == 0)
                try copy(try open(name, O_RDONLY), from: 0, to: draft)
            }
        }
    }

    /// Adds the bytes of another draft from an offset on to a draft.
    func append(draftOf name: String, from offset: Int64, toDraftOf target: String)
        async throws(DownloadError)
    {
        try await work.run { () throws(DownloadError) in
            let draft = try openDraft(of: target, isFirst: false)
            try copy(try open(Self.draft(of: name), O_RDONLY), from: offset, to: draft)
        }
    }
}

extension TaskFolder {
    private func copy(
        _ source: borrowing DescriptorHandle<DownloadError>, from start: Int64,
        to target: borrowing DescriptorHandle<DownloadError>
    ) throws(DownloadError) {
        var offset = start
        while true {
            let piece = try source.read(at: offset, upTo: Limits.joinedPieceBytes)
            if piece.isEmpty { break }
            try disk.write(piece, to: target)
            offset += Int64(piece.count)
        }
    }

    private func commit(
        _ draft: borrowing DescriptorHandle<DownloadError>, as name: String
    ) throws(DownloadError) {
        try disk.sync(draft)
        try disk.rename(draft.path, to: try location(of: name))
    }

    private func open(
        _ name: String, _ flags: Int32, mode: mode_t = 0
    ) throws(DownloadError) -> DescriptorHandle<DownloadError> {
        try disk.open(try location(of: name), flags | O_NOFOLLOW, mode: mode)
    }

    /// Opens the draft of a file to add bytes; the first ones replace what an earlier process has left.
    private func openDraft(
        of name: String, isFirst: Bool
    ) throws(DownloadError) -> DescriptorHandle<DownloadError> {
        try open(Self.draft(of: name), O_WRONLY | O_CREAT | O_APPEND | (isFirst ? O_TRUNC : 0), mode: 0o644)
    }

    /// The path of a name of one or two parts; throws if a part is empty, `.` or `..`, or has a NUL byte.
    ///
    /// The name `.` alone is the folder itself.
    func location(of name: String) throws(DownloadError) -> String {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let isSafe = parts.allSatisfy { part in
            !part.isEmpty && part != "." && part != ".." && !part.utf8.contains(0)
        }
        guard isSafe || name == ".", parts.count <= 2 else {
            throw .folder("\(name) is not a name of the task")
        }
        return "\(path)/\(name)"
    }

    /// The name of a file while it is written: it begins with a dot, so that it is never served.
    static func draft(of name: String) -> String {
        guard let slash = name.lastIndex(of: "/") else { return ".\(name).part" }
        return "\(name[...slash]).\(name[name.index(after: slash)...]).part"
    }
}
