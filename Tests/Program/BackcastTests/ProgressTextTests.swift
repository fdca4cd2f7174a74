@testable import Downloader
import Timeline
import Testing

@testable import Backcast

@Suite("The progress display")
struct ProgressTextTests {
    private static func task(_ number: Int, _ state: TaskState) -> DownloadTask {
        var task = DownloadTask(
            id: "task\(number)", url: "http://a.example/",
            title: "A title that is longer than a line \(number)",
            labels: [:], created: Instant(microseconds: Int64(number)))
        task.state = state
        return task
    }

    @Test("No line is wider than the terminal", arguments: [40, 72, 80, 200])
    func width(columns: Int) {
        let tasks = [Self.task(1, .downloading), Self.task(2, .waitingForNetwork)]
        let lines = ProgressText.lines(of: tasks, columns: columns, rows: 24)
        #expect(lines.count == 3 && lines.allSatisfy { $0.count < columns })
    }

    @Test("Wide characters count as two columns", arguments: [40, 72, 80, 200])
    func wideCharacters(columns: Int) {
        for title in [String(repeating: "日本語", count: 20), "뉴스", "Ａ番組 and more"] {
            var task = Self.task(1, .downloading)
            task.title = title
            let line = ProgressText.line(of: task, columns: columns)
            let isWide = { (character: Character) in (character.unicodeScalars.first?.value ?? 0) > 0x2E80 }
            #expect(line.count + line.count(where: isWide) < columns, "\(line)")
            // The bar begins in the same column as beside an ordinary title.
            let name = line.prefix { $0 != "[" }
            if columns == 200, title.count < 15 { #expect(name.count + name.count(where: isWide) == 30) }
        }
    }

    @Test("What a server says of an error cannot write over a terminal")
    func printable() {
        #expect(PrintableText.line("a\u{1B}[2J\nb") == "a?[2J?b")
    }

    @Test("Where the terminal is low, the tasks that run are shown, then those that wait")
    func height() {
        let ended = (1...50).map { Self.task($0, .completed) }
        let tasks = ended + [Self.task(51, .queued), Self.task(52, .downloading)]
        let lines = ProgressText.lines(of: tasks, columns: 120, rows: 10)
        #expect(lines.count == 9)
        #expect(lines[0].contains("line 52") && lines[1].contains("line 51"))
        #expect(lines.last?.contains("50 of 52 tasks") ?? false)
        #expect(ProgressText.lines(of: Array(tasks.prefix(8)), columns: 120, rows: 10).count == 9)
    }
}
