import Files
import Glibc
import Logging

extension ChannelFiles {
    /// Notes that entries are done; files that hold nothing else go.
    func trim(_ positions: [JournalPosition]) {
        guard isLoaded, !isClosed else { return }
        let lines = Dictionary(grouping: positions, by: \.file).mapValues { $0.map(\.line) }
        for index in files.indices {
            guard let done = lines[files[index].number] else { continue }
            let new = files[index].waiting.intersection(done)
            files[index].waiting.subtract(new)
            if !new.isEmpty && !files[index].waiting.isEmpty { record(new.sorted(), of: files[index]) }
        }
        removeDoneFiles()
    }

    /// Appends done lines to the `.done` file; if that fails, they are replayed after a restart.
    func record(_ lines: [Int], of file: JournalFile) {
        do throws(JournalError) {
            let open = try disk.open(
                path(file.doneName), O_CREAT | O_WRONLY | O_APPEND, mode: 0o600)
            try disk.write(DoneRecord.written(lines), to: open)
        } catch {
            logger.warning("Cannot record which journal lines are done", metadata: ["error": "\(error)"])
        }
    }
}
