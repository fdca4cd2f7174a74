import Foundation
@testable import Journal

/// A journal file, the payload of one line, and a record of done lines.
///
/// A line reads back as it was written; an entry that is read is written and read as an equal one.
func examine(_ input: [UInt8]) {
    let lines = JournalLines(input)
    require(lines.damagedLines.count + lines.wholeLines.count == lines.payloads.count, "lines are counted")
    _ = DoneRecord.reading(input)
    let line = JournalLine.written(input)
    if !input.isEmpty { require(JournalLine.reading(line.dropLast()) == input, "a line reads back") }
    for payload in lines.payloads.compactMap({ $0 }) + [input] { decode(payload) }
}

private func decode(_ payload: [UInt8]) {
    guard let entry = try? JSONDecoder().decode(JournalEntry.self, from: Data(payload)) else { return }
    guard let written = try? JSONEncoder().encode(entry) else { return }
    let again = try? JSONDecoder().decode(JournalEntry.self, from: written)
    require(again == entry, "an entry reads back")
}
