import Files
import Foundation
import Logging

extension ChannelFiles {
    /// The entries after a position that are not done, in the order of writing.
    ///
    /// Fewer than the limit are returned at the end only.
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
        var wanted = file.waiting.filter { $0 >= first }.sorted()[...]
        var entries: [(JournalPosition, JournalEntry)] = []
        var damaged: [Int] = []
        var unread = UnreadPart()
        while entries.count < limit, !wanted.isEmpty {
            let lines = wanted.prefix(limit - entries.count)
            wanted.removeFirst(lines.count)
            for (line, payload) in zip(lines, try payloads(of: lines, in: file)) {
                guard let payload else {
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
        }
        if !damaged.isEmpty {
            report(damaged, in: file, try disk.read(path(file.name), upTo: Limits.channelByteCount) ?? [])
        }
        file.waiting.subtract(damaged)
        if !unread.lines.isEmpty, setAside(unread.payloads, as: .unread, because: unread.reason) {
            file.waiting.subtract(unread.lines)
            if !file.waiting.isEmpty { record(unread.lines, of: file) }
        }
        return entries
    }

    /// The payloads of lines of a file, which are in order; nil where one is damaged.
    ///
    /// No other part of the file is read: a long one is replayed in many parts.
    private func payloads(
        of lines: ArraySlice<Int>, in file: JournalFile
    ) throws(JournalError) -> [[UInt8]?] {
        guard let first = lines.first, let last = lines.last else { return [] }
        let begin = file.range(of: first).lowerBound
        let count = file.range(of: last).upperBound - begin
        let bytes = try disk.read(path(file.name), from: Int64(begin), upTo: Int64(count)) ?? []
        return lines.map { line in
            let range = file.range(of: line)
            let end = range.upperBound - begin - 1
            guard end < bytes.count, bytes[end] == UInt8(ascii: "\n") else { return nil }
            return JournalLine.reading(bytes[(range.lowerBound - begin)..<end])
        }
    }
}

/// The part of a file that cannot be read.
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
