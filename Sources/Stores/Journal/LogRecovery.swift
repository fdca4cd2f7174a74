import Files
import Glibc
import Logging

/// Brings the files of the channels up to what the log says.
struct LogRecovery {
    let journal: String
    let disk: Disk<JournalError>
    let logger: Logger

    /// Reads the log's files in their order, writes what is missing, and removes them.
    func run(_ logs: [String]) throws(JournalError) {
        for (path, lines) in try lines(of: logs).sorted(by: { $0.key < $1.key }) { try restore(path, lines) }
        for log in logs { try disk.remove(log) }
    }

    /// The lines in log files, by the path of the channel's file.
    ///
    /// `includesRemoved` keeps the lines of files that were removed.
    func lines(
        of logs: [String], includesRemoved: Bool = false,
    ) throws(JournalError) -> [String: [LoggedLine]] {
        var lines: [String: [LoggedLine]] = [:]
        for log in logs {
            let bytes = try disk.read(log, upTo: Limits.channelByteCount) ?? []
            for record in JournalLines(bytes).payloads.compactMap({ $0 }).compactMap(LogRecord.init) {
                switch record.content {
                case .line(let bytes, let offset):
                    lines[record.path, default: []].append(LoggedLine(offset: offset, bytes: bytes))
                case .removed: if !includesRemoved { lines[record.path] = nil }
                }
            }
        }
        return lines
    }

    /// Writes lines to the places in a file that they have already, and syncs it: the system may have dropped
    /// from memory what it could not write before.
    func writeAgain(_ lines: [LoggedLine], to file: String) throws(JournalError) {
        let open = try disk.open(file, O_WRONLY)
        for line in lines { try disk.write(line.bytes, to: open, at: line.offset) }
        try disk.sync(open)
    }

    /// Makes and removes a file in a folder, so that its next sync writes the folder.
    func writeAgain(folder: String) throws(JournalError) {
        let name = folder + "/.again"
        _ = try disk.open(name, O_CREAT | O_WRONLY, mode: 0o600)
        try disk.remove(name)
    }

    /// Restores the lines of one file and syncs it.
    ///
    /// A missing file was removed, unless the log has its first line.
    private func restore(_ path: String, _ lines: [LoggedLine]) throws(JournalError) {
        let file = journal + "/" + path
        let folder = journal + "/" + GroupLog.folder(of: path)
        let there = try disk.read(file, upTo: Limits.channelByteCount)
        guard let first = lines.first, there != nil || first.offset == 0 else { return }
        var content = there ?? []
        for line in lines where line.offset <= Limits.channelByteCount {
            let end = Int(line.offset) + line.bytes.count
            // Missing bytes in between become a line of their own, so that they damage no other line.
            if content.count < line.offset {
                content += [UInt8](repeating: 0, count: Int(line.offset) - content.count - 1) + [0x0A]
            }
            if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
            content.replaceSubrange(Int(line.offset)..<end, with: line.bytes)
        }
        if content == there {
            do throws(JournalError) {
                try writeAgain(lines, to: file)
            } catch .diskFull {
                // Some file systems need space to write in place, and a start must not fail for that.
                try disk.sync(try disk.open(file, O_RDONLY))
            }
        } else {
            logger.notice("A file of the journal is restored from its log", metadata: ["file": "\(path)"])
            try disk.makeFolder(folder)
            let draft = try disk.open(file + ".new", O_CREAT | O_TRUNC | O_WRONLY, mode: 0o600)
            try disk.write(content, to: draft)
            try disk.sync(draft)
            try disk.rename(file + ".new", to: file)
        }
        try disk.syncFolder(folder)
    }
}

/// A line of a channel's file, with its end, and where it begins.
struct LoggedLine {
    var offset: Int64
    var bytes: [UInt8]
}
