import Files
import Glibc
import Logging

/// Lines of a channel that cannot go to the catalogue, in a file of their own.
///
/// A later start may be able to: at each start they become a numbered file again and are tried again.
struct SetAsideLines {
    /// Why lines are set aside.
    enum Reason: CaseIterable {
        /// This version cannot read them.
        case unread
        /// The catalogue refuses them.
        case refused

        /// The file's name; it has no number, so nothing trims it.
        var fileName: String {
            switch self {
            case .unread: "unread.jsonl"
            case .refused: "refused.jsonl"
            }
        }

        fileprivate var message: Logger.Message {
            switch self {
            case .unread:
                "Lines of the journal cannot be read and are set aside; a later version may read them"
            case .refused: "The catalogue refuses lines of the journal, which are set aside"
            }
        }
    }

    var byteCount: Int64 = 0
    /// Nothing more is appended until the next start: the last write failed, or the file is full.
    ///
    /// A failed write may have left a part of a line, and a line behind it would be damaged.
    var isClosed = false
}

extension ChannelFiles {
    /// Makes the lines that earlier runs set aside the newest files of the journal; their numbers.
    ///
    /// After a crash in between they exist twice, which is harmless: the catalogue takes an entry once.
    func retryLinesSetAside(after last: Int) throws(JournalError) -> [Int] {
        var numbers: [Int] = []
        for reason in SetAsideLines.Reason.allCases {
            guard try disk.byteCount(of: path(reason.fileName)) != nil else { continue }
            let file = JournalFile(number: last + numbers.count + 1)
            _ = try disk.link(path(reason.fileName), to: path(file.name))
            try disk.syncFolder(folder)
            _ = try disk.remove(path(reason.fileName))
            numbers.append(file.number)
        }
        return numbers
    }

    /// Appends lines to the file of those that are set aside, durably.
    ///
    /// - Returns: false when that fails or the file is full; the lines then stay where they are.
    func setAside(_ payloads: [[UInt8]], as reason: SetAsideLines.Reason, because error: String) -> Bool {
        var state = setAsideLines[reason] ?? SetAsideLines()
        guard !state.isClosed else { return false }
        defer { setAsideLines[reason] = state }
        let name = path(reason.fileName)
        let bytes = Array(payloads.map(JournalLine.written).joined())
        if state.byteCount == 0 {
            logger.error(reason.message, metadata: ["file": "\(name)", "error": "\(error)"])
        }
        do throws(JournalError) {
            guard state.byteCount + Int64(bytes.count) <= bounds.setAsideByteCount else {
                throw .full(channel)
            }
            let file = try disk.open(name, O_CREAT | O_WRONLY | O_APPEND, mode: 0o600)
            try disk.write(bytes, to: file)
            try disk.sync(file)
            try disk.syncFolder(folder)
        } catch {
            state.isClosed = true
            logger.error(
                "Cannot set lines of the journal aside; they stay in their files",
                metadata: ["file": "\(name)", "error": "\(error)"])
            return false
        }
        state.byteCount += Int64(bytes.count)
        counts.add(payloads.count, to: channel, as: reason)
        return true
    }

    /// Sets lines aside that the catalogue refuses, and notes that they are done; false if that fails.
    func setAsideRefused(
        _ payloads: [[UInt8]], at positions: [JournalPosition], because error: String,
    ) throws(JournalError) -> Bool {
        try load()
        guard setAside(payloads, as: .refused, because: error) else { return false }
        trim(positions)
        return true
    }
}
