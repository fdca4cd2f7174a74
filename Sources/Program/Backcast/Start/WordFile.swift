import Foundation

/// A file of one line that only its owner may read.
struct WordFile {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    /// The word in the file, which is created when there is none.
    func readOrCreate(_ make: () -> String) throws(ProgramError) -> (word: String, isNew: Bool) {
        if let word = try word() { return (word, false) }
        let word = make()
        try write(word)
        return (word, true)
    }

    /// The word, nil when there is no file.
    ///
    /// Restricts the file's mode first: a file restored from a backup may be readable by others.
    private func word() throws(ProgramError) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        if descriptor < 0 && errno == ENOENT { return nil }
        guard descriptor >= 0 else { throw .system("\(path) cannot be read", errno) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard fchmod(descriptor, 0o600) == 0 else { throw .system("\(path) cannot be made private", errno) }
        guard let bytes = try? handle.read(upToCount: Limits.stateFileByteCount) else {
            throw ProgramError("\(path) cannot be read")
        }
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Writes atomically: a draft is written, synced and renamed.
    private func write(_ word: String) throws(ProgramError) {
        let draft = path + ".new"
        _ = unsafe unlink(draft)
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .system("\(draft) cannot be made", errno) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data((word + "\n").utf8))
            try handle.synchronize()
        } catch {
            throw ProgramError("\(draft) cannot be written: \(error)")
        }
        guard unsafe rename(draft, path) == 0 else { throw .system("\(path) cannot be made", errno) }
    }
}
