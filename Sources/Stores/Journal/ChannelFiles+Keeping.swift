import Files
import Foundation
import Logging

/// Files whose entries the catalogue has: they are kept for a while, because the catalogue may lose
/// what it had. A backup is restored, or a replica that lacks the last commits takes over.
extension ChannelFiles {
    private var keptFolder: String { path("entered") }

    private func keptPath(_ number: Int) -> String { keptFolder + "/" + JournalFile(number: number).name }

    /// The numbers of the kept files, in order.
    func keptNumbers() throws(JournalError) -> [Int] {
        try disk.list(keptFolder).compactMap(JournalFile.reading).map(\.number).sorted()
    }

    /// Links a file into the folder of kept files; a failure matters only if the catalogue loses data.
    func keep(_ file: JournalFile) {
        do throws(JournalError) {
            try disk.makeFolder(keptFolder)
            try beginAges()
            _ = try disk.link(path(file.name), to: keptPath(file.number))
            if let ages { try disk.setTime(ages.now, of: keptPath(file.number)) }
        } catch {
            logger.warning("Cannot keep an entered journal file", metadata: ["error": "\(error)"])
        }
        reportingFailure { () throws(JournalError) in try removeOldKeptFiles() }
    }

    private func reportingFailure(_ remove: () throws(JournalError) -> Void) {
        do throws(JournalError) {
            try remove()
        } catch {
            logger.warning("Cannot remove old kept journal files", metadata: ["error": "\(error)"])
        }
    }

    /// Removes old kept files of a channel that may get no more entries; reads the oldest file's time and
    /// sets the time of the newest one to now.
    private func removeOverdueKeptFiles() {
        reportingFailure { () throws(JournalError) in
            let numbers = try keptNumbers()
            guard let oldest = numbers.first, let newest = numbers.last else { return }
            if try disk.space(at: folder).availableBytes < bounds.keptFloor { return removeKeptFiles() }
            try beginAges()
            // The next process measures from there on: the time that passes until it begins is not known.
            if let ages, newest != oldest { try disk.setTime(ages.now, of: keptPath(newest)) }
            let age = (ages?.now ?? 0) - (try disk.time(of: keptPath(oldest)) ?? 0)
            if age > bounds.keptSeconds { try removeOldKeptFiles() }
        }
    }

    /// Removes the kept files that are too old, and the oldest ones beyond the bound.
    ///
    /// The newest file is kept whatever its age: a start without the catalogue continues from it.
    ///
    /// A file's time is when it was kept, by the clock that measures ages: with the host's, files of a start
    /// under a clock that is ahead would make all others old at the next one.
    private func removeOldKeptFiles() throws(JournalError) {
        let now = ages?.now ?? 0
        var byteCount: Int64 = 0
        let numbers = try keptNumbers()
        for number in numbers.reversed() {
            let path = keptPath(number)
            byteCount += try disk.byteCount(of: path) ?? 0
            let age = now - (try disk.time(of: path) ?? 0)
            let isOld = age > bounds.keptSeconds && number != numbers.last
            if isOld || byteCount > bounds.keptByteCount { try disk.remove(path) }
        }
    }

    /// Begins to measure the ages of kept files, before this process keeps the first.
    private func beginAges() throws(JournalError) {
        guard ages == nil else { return }
        let newest = try keptNumbers().last.map { number throws(JournalError) in
            try disk.time(of: keptPath(number))
        }
        ages = KeptFileClock(clock: clock, newest: newest ?? nil)
    }

    func removeKeptFiles() {
        do throws(JournalError) {
            for number in try keptNumbers() { try disk.remove(keptPath(number)) }
        } catch {
            logger.warning("Cannot remove kept journal files", metadata: ["error": "\(error)"])
        }
    }

    /// Kept entries after a position that the catalogue has taken, in the order of writing.
    ///
    /// Fewer than the limit are returned at the end only.
    func replayEntered(
        after position: JournalPosition?, limit: Int,
    ) throws(JournalError) -> [(JournalPosition, JournalEntry)] {
        try load()
        removeOverdueKeptFiles()
        var entries: [(JournalPosition, JournalEntry)] = []
        for number in try enteredNumbers() where number >= position?.file ?? 0 {
            for (line, payload) in try enteredLines(in: number) {
                let place = JournalPosition(file: number, line: line)
                if let position, place <= position { continue }
                guard let entry = Self.entry(payload) else { continue }
                entries.append((place, entry))
                if entries.count == limit { return entries }
            }
        }
        return entries
    }

    /// The newest entries that the catalogue has taken, oldest first: those of the last files, until there
    /// are enough.
    func newestEntered(count: Int) throws(JournalError) -> [(JournalPosition, JournalEntry)] {
        try load()
        var newest: [(JournalPosition, JournalEntry)] = []
        for number in try enteredNumbers().reversed() where newest.count < count {
            for (line, payload) in try enteredLines(in: number).reversed() where newest.count < count {
                guard let entry = Self.entry(payload) else { continue }
                newest.append((JournalPosition(file: number, line: line), entry))
            }
        }
        return newest.reversed()
    }

    private func enteredNumbers() throws(JournalError) -> [Int] {
        Set(try keptNumbers() + files.map(\.number)).sorted()
    }

    /// The undamaged lines of a file that do not wait.
    private func enteredLines(in number: Int) throws(JournalError) -> [(line: Int, payload: [UInt8])] {
        let live = files.first { $0.number == number }
        let file = live.map { path($0.name) } ?? keptPath(number)
        let payloads = JournalLines(try disk.read(file, upTo: Limits.channelByteCount) ?? []).payloads
        return payloads.enumerated().compactMap { line, payload in
            guard let payload, live.map({ !$0.waiting.contains(line) && line < $0.lineCount }) ?? true
            else { return nil }
            return (line, payload)
        }
    }

    private static func entry(_ payload: [UInt8]) -> JournalEntry? {
        try? JSONDecoder().decode(JournalEntry.self, from: Data(payload))
    }
}
