import Foundation
import Synchronization

/// The table that `make faults` shows: a row for each fault, in the order in which they were tried.
enum FaultTable {
    private static let lock = Mutex(())

    static func add(_ fault: String, times: Int, _ outcome: FaultOutcome, recovery: Double) {
        guard let path = ProcessInfo.processInfo.environment["FAULT_TABLE"] else { return }
        let unreachable = outcome.unreachable > 0 ? " (\(outcome.unreachable) out of reach)" : ""
        let row =
            "| \(fault) | \(times) | \(outcome.lost.count) of \(outcome.published)\(unreachable) | \(outcome.twice) "
            + "| \(String(format: "%.1f", recovery)) s |\n"
        lock.withLock { _ in
            guard let file = FileHandle(forWritingAtPath: path) else { return }
            _ = try? file.seekToEnd()
            try? file.write(contentsOf: Data(row.utf8))
            try? file.close()
        }
    }
}
