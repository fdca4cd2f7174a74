import Journal
import Recorder

/// A node's journal as a model: what was synced survives a kill, what was not may be there or not.
struct SimulatedJournal {
    private var lines: [(position: JournalPosition, entry: JournalEntry)] = []
    private var nextLine = 0
    /// The newest entries that are in the catalogue.
    private(set) var entered: [JournalEntry] = []
    /// Trimmed, but not yet for good.
    private var trimmed: [(position: JournalPosition, entry: JournalEntry)] = []

    var count: Int { lines.count }

    mutating func append(_ entries: some Collection<JournalEntry>) -> [JournalPosition] {
        entries.map { entry in
            let position = JournalPosition(file: 1, line: nextLine)
            nextLine += 1
            lines.append((position, entry))
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
        entered += trimmed.map(\.entry)
        if entered.count > 2 * Self.enteredCount { entered.removeFirst(entered.count - Self.enteredCount) }
    }

    private static let enteredCount = 3000

    /// The process died: the newest trim may not have been written.
    mutating func crash(_ chance: inout SeededChance) {
        guard chance.happens(in: 2) else { return }
        lines = (lines + trimmed).sorted { $0.position < $1.position }
        trimmed = []
    }
}
