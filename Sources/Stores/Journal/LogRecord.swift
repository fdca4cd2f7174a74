/// One line of the log: a line of a channel's file with its offset, or the removal of that
/// file.
struct LogRecord: Equatable {
    enum Content: Equatable {
        /// The line with its end, and where it begins.
        case line([UInt8], Int64)
        case removed
    }

    /// Below the journal's folder.
    var path: String
    var content: Content

    init(path: String, content: Content) {
        self.path = path
        self.content = content
    }

    /// `{path} {offset} {line}` or `{path} removed`.
    var payload: [UInt8] {
        switch content {
        case .line(let line, let offset): Array("\(path) \(offset) ".utf8) + line.dropLast()
        case .removed: Array("\(path) removed".utf8)
        }
    }

    /// Nil for what is no record, or leads out of the journal.
    init?(_ payload: [UInt8]) {
        let parts = payload.split(
            separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2 else { return nil }
        path = String(decoding: parts[0], as: UTF8.self)
        let names = path.split(separator: "/", omittingEmptySubsequences: false)
        guard names.count == 2, !names[0].hasPrefix("."), JournalFile.reading(String(names[1])) != nil else {
            return nil
        }
        let offset = String(decoding: parts[1], as: UTF8.self)
        if parts.count == 2, offset == "removed" {
            content = .removed
        } else if parts.count == 3, let offset = Int64(offset), offset >= 0 {
            content = .line(Array(parts[2]) + [UInt8(ascii: "\n")], offset)
        } else {
            return nil
        }
    }
}
