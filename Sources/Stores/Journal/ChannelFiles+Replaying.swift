import Files
import Foundation
import Logging

extension ChannelFiles {
    /// The entries behind a position that are not done, in the order of writing; fewer than the limit at the
    /// end only.
    func replay(
        after position: JournalPosition?, limit: Int
    ) throws(JournalError) -> [(JournalPosition, JournalEntry)] {
        try load()
        var entries: [(JournalPosition, JournalEntry)] = []
        for index in files.indices where entries.count < limit {
            let number = files[index].number
            guard number >= position?.file ?? 0 else { continue }
            let first = position.map { $0.file == number ? $0.line + 1 : 0 } ?? 0
            entries += try replay(&files[index], from: first, limit: limit - entries.count)
        }
        removeDoneFiles()
        return entries
    }

    /// Lines that this version cannot read are set aside, and the others go on.
    private func replay(
        _ file: inout JournalFile, from first: Int, limit: Int
    ) throws(JournalError) -> [(JournalPosition, JournalEntry)] {
        let wanted = file.waiting.filter { $0 >= first }.sorted()
        guard !wanted.isEmpty else { return [] }
        let bytes = try disk.read(path(file.name), upTo: Limits.channelByteCount) ?? []
        let payloads = JournalLines(bytes).payloads
        var entries: [(JournalPosition, JournalEntry)] = []
        var damaged: [Int] = []
        var unread = UnreadPart()
        for line in wanted where entries.count < limit {
            guard line < payloads.count, let payload = payloads[line] else {
                damaged.append(line)
                continue
            }
            do {
                let entry = try JSONDecoder().decode(JournalEntry.self, from: Data(payload))
                entries.append((JournalPosition(file: file.number, line: line), entry))
            } catch {
                unread.add(line, payload, error)
            }
        }
        if !damaged.isEmpty { report(damaged, in: file, bytes) }
        file.waiting.subtract(damaged)
        if !unread.lines.isEmpty, setAside(unread.payloads, as: .unread, because: unread.reason) {
            file.waiting.subtract(unread.lines)
            if !file.waiting.isEmpty { record(unread.lines, of: file) }
        }
        return entries
    }
}

/// What of a file cannot be read.
private struct UnreadPart {
    var lines: [Int] = []
    var payloads: [[UInt8]] = []
    /// What is wrong with the first one.
    var reason = ""

    mutating func add(_ line: Int, _ payload: [UInt8], _ error: any Error) {
        if lines.isEmpty { reason = "\(error)" }
        lines.append(line)
        payloads.append(payload)
    }
}
