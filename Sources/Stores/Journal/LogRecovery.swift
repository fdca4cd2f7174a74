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
        var lines: [String: [(offset: Int64, bytes: [UInt8])]] = [:]
        for log in logs {
            let bytes = try disk.read(log, upTo: Limits.channelByteCount) ?? []
            for record in JournalLines(bytes).payloads.compactMap({ $0 }).compactMap(LogRecord.init) {
                switch record.content {
                case .line(let bytes, let offset): lines[record.path, default: []].append((offset, bytes))
                case .removed: lines[record.path] = nil
                }
            }
        }
        for (path, lines) in lines.sorted(by: { $0.key < $1.key }) { try restore(path, lines) }
        for log in logs { try disk.remove(log) }
    }

    /// A file that is not there was removed, unless the log has its beginning.
    private func restore(_ path: String, _ lines: [(offset: Int64, bytes: [UInt8])]) throws(JournalError) {
        let file = journal + "/" + path
        let folder = journal + "/" + GroupLog.folder(of: path)
        let there = try disk.read(file, upTo: Limits.channelByteCount)
        guard let first = lines.first, there != nil || first.offset == 0 else { return }
        var content = there ?? []
        for line in lines where line.offset <= Limits.channelByteCount {
            let end = Int(line.offset) + line.bytes.count
            // What is missing in between is a line of its own, so that it damages none.
            if content.count < line.offset {
                content += [UInt8](repeating: 0, count: Int(line.offset) - content.count - 1) + [0x0A]
            }
            if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
            content.replaceSubrange(Int(line.offset)..<end, with: line.bytes)
        }
        if content == there {
            try disk.sync(try disk.open(file, O_RDONLY))
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
