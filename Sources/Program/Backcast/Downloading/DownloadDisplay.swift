import Downloader
import Foundation
import JSON
import Synchronization

/// Shows the progress of tasks; called from any thread.
protocol DownloadDisplay: Sendable {
    func show(_ task: DownloadTask)
    /// No more changes come.
    func end()
}

struct QuietDisplay: DownloadDisplay {
    func show(_ task: DownloadTask) {}
    func end() {}
}

/// A task for each change, one a line, on standard output.
struct JSONDisplay: DownloadDisplay {
    func show(_ task: DownloadTask) {
        try? FileHandle.standardOutput.write(contentsOf: Data(task.json.bytes + [0x0A]))
    }

    func end() {}
}

/// A line for each change of state and each ten percent, on standard error.
final class LineDisplay: DownloadDisplay {
    private let shown = Mutex<[String: String]>([:])

    func show(_ task: DownloadTask) {
        let step = task.state == .downloading ? "\(Int(task.progress * 10) * 10) %" : ""
        let key = "\(task.state.rawValue) \(step)"
        guard shown.withLock({ $0.updateValue(key, forKey: task.id) }) != key else { return }
        let line = "\(task.id): \(ProgressText.words(for: task.state)) \(step)"
        let text = line.trimmingCharacters(in: .whitespaces) + "\n"
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    func end() {}
}

/// One line for each task and one for all of them, drawn again at each change, on standard error.
final class TerminalDisplay: DownloadDisplay {
    private struct State {
        var order: [String] = []
        var tasks: [String: DownloadTask] = [:]
        var drawnLines = 0
    }

    private let state = Mutex(State())

    func show(_ task: DownloadTask) {
        state.withLock { state in
            if state.tasks.updateValue(task, forKey: task.id) == nil { state.order.append(task.id) }
            Self.draw(&state)
        }
    }

    func end() {}

    private static func draw(_ state: inout State) {
        let tasks = state.order.compactMap { state.tasks[$0] }
        let size = TerminalSize.current
        let lines = ProgressText.lines(of: tasks, columns: size.columns, rows: size.rows)
        // Lines of before that are not drawn any more are cleared.
        let up = state.drawnLines > 0 ? "\u{1B}[\(state.drawnLines)A" : ""
        let text = up + lines.map { "\r\($0)\u{1B}[K\n" }.joined() + "\u{1B}[J"
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
        state.drawnLines = lines.count
    }
}

/// The size of the terminal on standard error, in characters.
struct TerminalSize {
    var columns = 80
    var rows = 24

    /// Asked for anew each time, as a person may change it.
    static var current: TerminalSize {
        var (found, size) = (winsize(), TerminalSize())
        guard unsafe ioctl(2, UInt(TIOCGWINSZ), &found) == 0 else { return size }
        if found.ws_col > 0 { size.columns = Int(found.ws_col) }
        if found.ws_row > 0 { size.rows = Int(found.ws_row) }
        return size
    }
}
