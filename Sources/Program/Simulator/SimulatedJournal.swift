import Journal
import Recorder
import Timeline

/// A node's journal as a model: what was synced survives a kill, what was not may be there or not.
struct SimulatedJournal {
    /// An object, as lines go from one list to the next.
    private final class Line {
        let position: JournalPosition
        let entry: JournalEntry

        init(_ position: JournalPosition, _ entry: JournalEntry) {
            (self.position, self.entry) = (position, entry)
        }
    }

    private var lines: [Line] = []
    private var nextLine = 0
    /// The newest that are in the catalogue.
    private var enteredLines: [Line] = []
    /// Trimmed, but not yet for good.
    private var trimmed: [Line] = []

    var count: Int { lines.count }

    /// The newest entries that are in the catalogue.
    var entered: [JournalEntry] { enteredLines.map(\.entry) }
    /// Where the recording of this node ended, as far as its disk tells.
    var end: Instant { (enteredLines + lines).map(\.entry).end }

    mutating func append(_ entries: some Collection<JournalEntry>) -> [JournalPosition] {
        entries.map { entry in
            let position = JournalPosition(file: 1, line: nextLine)
            nextLine += 1
            lines.append(Line(position, entry))
            return position
        }
    }

    func read(after position: JournalPosition?, limit: Int) -> [JournalLineRead] {
        let first = position.map { position in lines.partitioningIndex { $0.position > position } } ?? 0
        return lines[first...].prefix(limit).map { JournalLineRead(position: $0.position, entry: $0.entry) }
    }

    mutating func trim(_ positions: [JournalPosition]) {
        guard !positions.isEmpty else { return }
        // Mostly they are the oldest ones.
        if lines.count >= positions.count, zip(lines, positions.sorted()).allSatisfy({ $0.position == $1 }) {
            trimmed = Array(lines.prefix(positions.count))
            lines.removeFirst(positions.count)
        } else {
            let done = Set(positions)
            trimmed = lines.filter { done.contains($0.position) }
            lines.removeAll { done.contains($0.position) }
        }
        enteredLines += trimmed
        if enteredLines.count > 2 * Self.enteredCount {
            enteredLines.removeFirst(enteredLines.count - Self.enteredCount)
        }
    }

    private static let enteredCount = 3000

    /// The process died: the newest trim may not have been written.
    mutating func crash(_ chance: inout SeededRandomNumberGenerator) {
        guard chance.happens(in: 2) else { return }
        lines = (lines + trimmed).sorted { $0.position < $1.position }
        trimmed = []
    }
}
