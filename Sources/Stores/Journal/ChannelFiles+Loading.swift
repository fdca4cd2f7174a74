import Files
import Glibc
import Logging

extension ChannelFiles {
    /// Reads what an earlier run has left, once.
    func load() throws(JournalError) {
        if isClosed { throw .closed }
        if isLoaded { return }
        try disk.makeFolder(folder)
        try disk.syncFolder(parent)
        var names = try disk.list(folder).compactMap(JournalFile.reading)
        for number in try retryLinesSetAside(
            after: max(names.map(\.number).max() ?? 0, try keptNumbers().last ?? 0))
        {
            names.append((number, "jsonl"))
        }
        var found: [JournalFile] = []
        for number in names.filter({ $0.ending == "jsonl" }).map(\.number).sorted() {
            found.append(try readFile(number))
        }
        try removeOrphanedRecords(names.filter { $0.ending == "done" }.map(\.number), besides: found)
        files = found
        lastNumber = max(names.map(\.number).max() ?? 0, try keptNumbers().last ?? 0)
        isLoaded = true
        removeDoneFiles()
    }

    /// Lines that are not done.
    var waitingCount: Int {
        get throws(JournalError) {
            try load()
            return files.reduce(0) { $0 + $1.waiting.count }
        }
    }

    /// Removes `.done` records whose file is gone: they must not be applied to a later file of that number.
    private func removeOrphanedRecords(_ numbers: [Int], besides files: [JournalFile]) throws(JournalError) {
        for number in numbers where !files.contains(where: { $0.number == number }) {
            try disk.remove(path(JournalFile(number: number).doneName))
        }
    }

    private func readFile(_ number: Int) throws(JournalError) -> JournalFile {
        var file = JournalFile(number: number)
        let bytes = try disk.read(path(file.name), upTo: Limits.channelByteCount) ?? []
        let lines = JournalLines(bytes)
        if lines.isTorn {
            logger.notice(
                "The last line of a journal file was cut by a crash", metadata: ["file": "\(file.name)"])
        }
        if !lines.damagedLines.isEmpty { report(lines.damagedLines, in: file, bytes) }
        let done = DoneRecord.reading(try disk.read(path(file.doneName), upTo: Limits.channelByteCount) ?? [])
        file.byteCount = Int64(bytes.count)
        file.ends = lines.ends
        file.waiting = Set(lines.wholeLines).subtracting(done)
        return file
    }

    /// Says which lines cannot be read, and keeps a copy of the file for a person to look at.
    func report(_ lines: [Int], in file: JournalFile, _ bytes: [UInt8]) {
        logger.error(
            "Damaged lines of the journal are skipped",
            metadata: [
                "file": "\(path(file.name))", "copy": "\(path(file.corruptName))",
                "lines": "\(lines.map { $0 + 1 })",
            ])
        do throws(JournalError) {
            let copies = try disk.list(folder).filter { $0.hasSuffix(".corrupt") }
            guard copies.count < Limits.corruptCopies, !copies.contains(file.corruptName) else { return }
            let copy = try disk.open(path(file.corruptName), O_CREAT | O_EXCL | O_WRONLY, mode: 0o600)
            try disk.write(bytes, to: copy)
        } catch {
            logger.warning("Cannot copy a damaged journal file", metadata: ["error": "\(error)"])
        }
    }

    private var parent: String {
        folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? "."
    }
}
