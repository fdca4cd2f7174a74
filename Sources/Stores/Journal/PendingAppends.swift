import Synchronization

/// The entries of one call on their way to the disk.
final class PendingAppend: Sendable {
    let lines: [[UInt8]]
    /// The file that the lines are of, in a log of several.
    let path: String?
    private let outcome = Mutex<Result<[JournalPosition], JournalError>?>(nil)

    init(lines: [[UInt8]], path: String? = nil) {
        self.lines = lines
        self.path = path
    }

    var byteCount: Int { lines.reduce(0) { $0 + $1.count } }

    /// Nil as long as the entries wait.
    var result: Result<[JournalPosition], JournalError>? { outcome.withLock { $0 } }

    func resolve(_ result: Result<[JournalPosition], JournalError>) {
        outcome.withLock { $0 = result }
    }
}

/// Appends that wait for the next sync of a channel, in order; the first to reach the disk writes the others
/// too.
final class PendingAppends: Sendable {
    private let waiting = Mutex<[PendingAppend]>([])

    func add(_ append: PendingAppend) {
        waiting.withLock { $0.append(append) }
    }

    /// The first ones that make up a group, at least one of them; none when none wait.
    func takeGroup() -> [PendingAppend] {
        waiting.withLock { waiting in
            var byteCount = 0
            let end = waiting.firstIndex { append in
                defer { byteCount += append.byteCount }
                return byteCount >= Limits.groupByteCount
            }
            let group = Array(waiting[..<(end ?? waiting.endIndex)])
            waiting.removeFirst(group.count)
            return group
        }
    }
}
