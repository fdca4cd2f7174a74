import Files
import Foundation
import Logging

extension ChannelFiles {
    /// The entries that are not done, in the order of writing.
    func replay() throws(JournalError) -> [(JournalPosition, JournalEntry)] {
        try load()
        var entries: [(JournalPosition, JournalEntry)] = []
        for index in files.indices where !files[index].waiting.isEmpty {
            entries += try replay(&files[index])
        }
        return entries
    }

    /// Lines whose JSON this program cannot read are reported and done with: they would come back for ever.
    private func replay(_ file: inout JournalFile) throws(JournalError) -> [(JournalPosition, JournalEntry)] {
        let bytes = try disk.read(path(file.name), upTo: Limits.channelByteCount) ?? []
        let payloads = JournalLines(bytes).payloads
        let decoder = JSONDecoder()
        var entries: [(JournalPosition, JournalEntry)] = []
        var unreadable: [Int] = []
        for line in file.waiting.sorted() {
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
