import Downloader
import Foundation
import JSON
import Synchronization

/// Shows the progress of tasks; called from any thread.
protocol DownloadDisplay: Sendable {
    func show(_ task: DownloadTask)
    /// Ends the output and returns its exit status.
    func end() -> Int32
}

struct QuietDisplay: DownloadDisplay {
    func show(_ task: DownloadTask) {}
    func end() -> Int32 { 0 }
}

/// A task for each change, one a line, on standard output.
final class JSONDisplay: DownloadDisplay {
    private struct State {
        var tasks: [String: DownloadTask] = [:]
        /// Why a line could not be written.
        var failure: DownloadError?
    }

    private let state = Mutex(State())

    /// The tasks go on when a line cannot be written; nothing follows it, because it may be there in part.
    ///
    /// Writing under the lock keeps lines whole and in order: a pipe takes a long one in pieces.
    func show(_ task: DownloadTask) {
        state.withLock { state in
            let isNew = state.tasks.updateValue(task, forKey: task.id) != task
            guard isNew, state.failure == nil else { return }
            do throws(DownloadError) {
                try DownloadCommand.output(task.json.bytes + [0x0A])
            } catch {
                state.failure = error
            }
        }
    }

    func end() -> Int32 {
        guard let failure = state.withLock({ $0.failure }) else { return 0 }
        DownloadCommand.printError("\(failure)")
        return 1
    }
}

/// A line for each change of state and each ten percent, on standard error.
final class LineDisplay: DownloadDisplay {
    /// The state and the highest step of each task that were shown.
    private let shown = Mutex<[String: (state: TaskState, step: Int)]>([:])
    private let folder: String

    init(folder: String) {
        self.folder = folder
    }

    func show(_ task: DownloadTask) {
        // The progress of a live presentation also falls.
        let step = task.state == .downloading ? Int(task.progress * 10) * 10 : 0
        let isNew = shown.withLock { shown in
            if let before = shown[task.id], before.state == task.state, before.step >= step { return false }
            shown[task.id] = (task.state, step)
            return true
        }
        guard isNew else { return }
        var text = "\(task.id): \(ProgressText.words(for: task.state))"
        if task.state == .downloading { text += " \(step) %" }
        if task.state == .completed { text += ": \(ProgressText.result(of: task, in: folder))" }
        try? FileHandle.standardError.write(contentsOf: Data("\(text)\n".utf8))
    }

    func end() -> Int32 { 0 }
}

/// One line for each task and one for all of them, drawn again at each change, on standard error.
final class TerminalDisplay: DownloadDisplay {
    private struct State {
        var order: [String] = []
        var tasks: [String: DownloadTask] = [:]
        var drawnLines = 0
    }

    private let state = Mutex(State())
    private let folder: String

    init(folder: String) {
        self.folder = folder
    }

    func show(_ task: DownloadTask) {
        state.withLock { state in
            if state.tasks.updateValue(task, forKey: task.id) == nil { state.order.append(task.id) }
            Self.draw(&state)
        }
    }

    /// Prints where completed tasks are, and what a person should know of them.
    func end() -> Int32 {
        let completed = state.withLock { state in
            state.order.compactMap { state.tasks[$0] }.filter { $0.state == .completed }
        }
        let text = completed.map { "\(ProgressText.result(of: $0, in: folder))\n" }.joined()
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
        return 0
    }

    private static func draw(_ state: inout State) {
        let tasks = state.order.compactMap { state.tasks[$0] }
        let size = TerminalSize.current
        let lines = ProgressText.lines(of: tasks, columns: size.columns, rows: size.rows)
        // Clears the lines that the last drawing had and this one does not.
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

    /// Read at each drawing, since a person may resize the terminal.
    static var current: TerminalSize {
        var (found, size) = (winsize(), TerminalSize())
        guard unsafe ioctl(2, UInt(TIOCGWINSZ), &found) == 0 else { return size }
        if found.ws_col > 0 { size.columns = Int(found.ws_col) }
        if found.ws_row > 0 { size.rows = Int(found.ws_row) }
        return size
    }
}
