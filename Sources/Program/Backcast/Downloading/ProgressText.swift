import Downloader
import Timeline

/// The texts of a progress display.
enum ProgressText {
    /// One line per task and a total line; if the terminal has too few rows, running tasks come first.
    static func lines(of tasks: [DownloadTask], columns: Int, rows: Int) -> [String] {
        // The last row has the cursor.
        let space = max(1, rows - 2)
        var shown = tasks
        if tasks.count > space {
            let isRunning = { (task: DownloadTask) in task.state != .queued && !task.state.isEnded }
            let first = tasks.filter(isRunning) + tasks.filter { $0.state == .queued }
            shown = Array((first + tasks.filter(\.state.isEnded)).prefix(space))
        }
        let lines = shown.map { line(of: $0, columns: columns) }
        guard tasks.count > 1 else { return lines }
        return lines + [String(total(of: tasks).prefix(max(20, columns - 1)))]
    }

    /// A line with bar, percent, speed and time left, not wider than the terminal.
    static func line(of task: DownloadTask, columns: Int) -> String {
        var facts = [padded("\(Int(task.progress * 100)) %", 5), padded(size(task.bytes), 9)]
        if task.state == .downloading {
            facts.append(padded("\(size(task.speedBytesPerSecond))/s", 11))
            if let left = secondsLeft(of: task) { facts.append(time(left)) }
        } else {
            facts.append(words(for: task.state))
        }
        let tail = bar(task.progress, 20) + facts.joined(separator: " ")
        let space = max(8, columns - tail.count - 2)
        let title = PrintableText.line(task.title)
        let isLong = PrintableText.columns(of: title) > space
        let name = isLong ? PrintableText.beginning(of: title, columns: space - 1) + "…" : title
        let padding = max(1, min(space, 30) - PrintableText.columns(of: name))
        let line = name + String(repeating: " ", count: padding) + tail
        return PrintableText.beginning(of: line, columns: max(20, columns - 1))
    }

    /// The sums of all tasks.
    static func total(of tasks: [DownloadTask]) -> String {
        let done = tasks.count { $0.state == .completed }
        let bytes = tasks.reduce(0) { $0 + $1.bytes }
        let speed = tasks.reduce(0) { $0 + $1.speedBytesPerSecond }
        return "\(done) of \(tasks.count) tasks, \(size(bytes)), \(size(speed))/s"
    }

    /// A row of a list of tasks.
    static func row(of task: DownloadTask) -> String {
        let error = task.error.map { ": \(PrintableText.line($0.detail))" } ?? ""
        let facts = (["\(Int(task.progress * 100)) %", size(task.bytes)] + (task.notes ?? []))
            .map(PrintableText.line).joined(separator: ", ")
        return "\(task.id)  \(words(for: task.state)) (\(facts))\(error)  \(PrintableText.line(task.title))"
    }

    /// What a task would take: a line for it and one for each rendition.
    static func preview(of task: DownloadTask) -> String {
        let length = time(Int(task.durationSeconds.rounded()))
        let content = task.file.map { "the file \($0)" } ?? "\(task.segmentsTotal) segments, \(length)"
        let renditions = task.renditions.map { rendition in
            let size = rendition.height.map { "\($0)p" }
            let rate = rendition.bitsPerSecond.map { "\($0 / 1000) kb/s" }
            let facts = [rendition.language, rendition.name, size, rate, rendition.codecs].compactMap(\.self)
            return
                "\n  \(rendition.id) \(rendition.kind.rawValue) \(PrintableText.line(facts.joined(separator: ", ")))"
        }
        let notes = (task.notes ?? []).map { "\n  \(PrintableText.line($0))" }
        return "\(task.id): \(content)" + renditions.joined() + notes.joined()
    }

    /// The file that plays what a task has made; below it what a person should know of it.
    static func result(of task: DownloadTask, in folder: String) -> String {
        let notes = (task.notes ?? []).map { "\n  \(PrintableText.line($0))" }
        return "\(folder)/\(task.id)/\(task.file ?? "index.m3u8")" + notes.joined()
    }

    static func words(for state: TaskState) -> String {
        state.rawValue.replacing("_", with: " ")
    }

    /// Seconds until the end at the speed of now; nil when it cannot be told.
    static func secondsLeft(of task: DownloadTask) -> Int? {
        guard task.progress > 0.01, task.progress < 1, task.speedBytesPerSecond > 0 else { return nil }
        let whole = Double(task.bytes) / task.progress
        return Int((whole - Double(task.bytes)) / Double(task.speedBytesPerSecond))
    }

    static func size(_ bytes: Int64) -> String {
        var (value, units) = (Double(max(0, bytes)), ["B", "kB", "MB", "GB", "TB"][...])
        while value >= 1000, units.count > 1 {
            value /= 1000
            units = units.dropFirst()
        }
        let tenths = Int((value * 10).rounded())
        let unit = units.first ?? ""
        return unit == "B" ? "\(tenths / 10) B" : "\(tenths / 10).\(tenths % 10) \(unit)"
    }

    static func time(_ seconds: Int) -> String {
        let parts = [seconds / 3600, seconds / 60 % 60, seconds % 60]
        let shown = parts[0] > 0 ? parts[...] : parts.dropFirst()
        return shown.enumerated().map { index, part in
            index > 0 && part < 10 ? "0\(part)" : "\(part)"
        }.joined(separator: ":")
    }

    private static func bar(_ progress: Double, _ width: Int) -> String {
        let full = Int((min(max(progress, 0), 1) * Double(width)).rounded(.down))
        return "[" + String(repeating: "#", count: full) + String(repeating: "-", count: width - full) + "] "
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
