import Files
import Glibc
import Logging

/// The lines of a channel that this version cannot read, in a file of their own.
///
/// A later version may be able to read them: at each start they become a numbered file again and are read.
struct UnreadLines {
    /// It has no number, so nothing trims it.
    static let name = "unread.jsonl"

    var byteCount: Int64 = 0
    /// Nothing more is appended until the next start: the last write failed, or the file is full.
    ///
    /// A failed write may have left a part of a line, and a line behind it would be damaged.
    var isClosed = false
}

extension ChannelFiles {
    /// Makes the lines that earlier runs set aside the newest file of the journal; its number, nil without
    /// such lines.
    ///
    /// After a crash in between they exist twice, which is harmless: the catalogue takes an entry once.
    func retryUnreadLines(after last: Int) throws(JournalError) -> Int? {
        guard try disk.byteCount(of: path(UnreadLines.name)) != nil else { return nil }
        let file = JournalFile(number: last + 1)
        _ = try disk.link(path(UnreadLines.name), to: path(file.name))
        try disk.syncFolder(folder)
        _ = try disk.remove(path(UnreadLines.name))
        return file.number
    }

    /// Appends lines to the file of those that cannot be read, durably.
    ///
    /// - Returns: false when that fails or the file is full; the lines then stay where they are.
    func setAside(_ payloads: [[UInt8]], because reason: String) -> Bool {
        guard !unread.isClosed else { return false }
        let bytes = Array(payloads.map(JournalLine.written).joined())
        if unread.byteCount == 0 {
            logger.error(
                "Lines of the journal cannot be read and are set aside; a later version may read them",
                metadata: ["file": "\(path(UnreadLines.name))", "error": "\(reason)"])
        }
        do throws(JournalError) {
            guard unread.byteCount + Int64(bytes.count) <= bounds.setAsideByteCount else {
                throw .full(channel)
            }
            let file = try disk.open(path(UnreadLines.name), O_CREAT | O_WRONLY | O_APPEND, mode: 0o600)
            try disk.write(bytes, to: file)
            try disk.sync(file)
            try disk.syncFolder(folder)
        } catch {
            unread.isClosed = true
            logger.error(
                "Lines of the journal that cannot be read stay in their files",
                metadata: ["error": "\(error)"])
            return false
        }
        unread.byteCount += Int64(bytes.count)
        unreadCounts.add(payloads.count, to: channel)
        return true
    }
}
