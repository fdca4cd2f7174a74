/// One file of a channel's journal.
struct JournalFile {
    let number: Int
    var byteCount: Int64 = 0
    /// Where each written line ends, whole or damaged.
    var ends: [Int] = []
    /// Lines that are not done.
    var waiting: Set<Int> = []

    var lineCount: Int { ends.count }

    /// About how many bytes the lines have that are not done.
    var waitingByteCount: Int64 {
        ends.isEmpty ? byteCount : byteCount * Int64(waiting.count) / Int64(lineCount)
    }

    /// `000001.jsonl`: the number as it sorts.
    var name: String { Self.name(number, "jsonl") }
    /// The record of what is done.
    var doneName: String { Self.name(number, "done") }
    /// The copy of a damaged file.
    var corruptName: String { Self.name(number, "corrupt") }

    /// The bytes of a line in the file, with its line end.
    func range(of line: Int) -> Range<Int> { (line == 0 ? 0 : ends[line - 1])..<ends[line] }

    /// Counts lines that were written and synced; their positions.
    mutating func add(_ lines: [[UInt8]]) -> [JournalPosition] {
        let first = lineCount
        for line in lines {
            byteCount += Int64(line.count)
            ends.append(Int(byteCount))
        }
        let new = first..<lineCount
        waiting.formUnion(new)
        return new.map { JournalPosition(file: number, line: $0) }
    }

    /// The number and ending of a file's name; nil when it is none of the journal's.
    static func reading(_ name: String) -> (number: Int, ending: String)? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int(parts[0]), number > 0 else { return nil }
        let ending = String(parts[1])
        return Self.name(number, ending) == name ? (number, ending) : nil
    }

    private static func name(_ number: Int, _ ending: String) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits + "." + ending
    }
}
