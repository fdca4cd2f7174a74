import Files
import Foundation
import Logging

extension ChannelFiles {
    /// The entries behind a position that are not done, in the order of writing; fewer than the limit at the end only.
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
        return entries
    }

    /// Lines whose JSON this program cannot read are reported and done with: they would come back for ever.
    private func replay(
        _ file: inout JournalFile, from first: Int, limit: Int
    ) throws(JournalError) -> [(JournalPosition, JournalEntry)] {
        let wanted = file.waiting.filter { $0 >= first }.sorted()
        guard !wanted.isEmpty else { return [] }
        let bytes = try disk.read(path(file.name), upTo: Limits.channelByteCount) ?? []
        let payloads = JournalLines(bytes).payloads
        let decoder = JSONDecoder()
        var entries: [(JournalPosition, JournalEntry)] = []
        var unreadable: [Int] = []
        for line in wanted {
            if entries.count == limit { break }
            guard line < payloads.count, let payload = payloads[line],
                let entry = try? decoder.decode(JournalEntry.self, from: Data(payload))
            else {
                unreadable.append(line)
                continue
            }
            entries.append((JournalPosition(file: file.number, line: line), entry))
        }
        if !unreadable.isEmpty { report(unreadable, in: file, bytes) }
        file.waiting.subtract(unreadable)
        return entries
    }
}
