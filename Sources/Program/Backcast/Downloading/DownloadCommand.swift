import ArgumentParser
import Downloader
import Files
import Foundation

/// Downloads playlists and media files, without a database.
struct DownloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "download",
        abstract: "Downloads HLS playlists and media files to a folder that plays without a network",
        discussion: """
            Begun tasks continue where they stopped. A live playlist is recorded until it ends or the program \
            is stopped. Ends with status 1 when a task has failed, 2 for wrong arguments, 130 when it was \
            stopped.
            """)

    @Argument(help: ArgumentHelp("Playlists or media files.", valueName: "url"))
    var urls: [String] = []

    @Option(help: "A file with a URL in each line, or - for standard input.")
    var from: String?

    @Option(help: ArgumentHelp("The folder of all tasks.", valueName: "folder"))
    var to = "./downloads"

    @OptionGroup(title: "What to take") var choice: ContentFlags
    @OptionGroup(title: "How to fetch") var fetching: FetchFlags
    @OptionGroup(title: "Bounds") var transfers: TransferFlags

    @Flag(help: "Print what would be taken, and write nothing.")
    var dryRun = false

    @Flag(help: "Print nothing but errors.")
    var quiet = false

    @Flag(help: "A line of JSON on standard output for each change of a task.")
    var json = false

    func run() async throws {
        ProcessLimits.setSignals()
        let requests = try Self.checkingArguments {
            try Self.checkFolder(to, "--to")
            return try self.requests()
        }
        var run = DownloadRun(folder: to, display: makeDisplay(), proxy: transfers.proxy)
        run.options = try Self.checkingArguments { try transfers.options() }
        if dryRun { return try await run.preview(requests, asJSON: json) }
        var outcome = TaskHandover.Outcome(remaining: requests)
        repeat {
            outcome = try await TaskHandover.carryOut(outcome, in: to, run.display)
        } while try await !carryOut(outcome, run)
    }

    /// Downloads the requests that no other process took; false if a process has just taken the folder.
    ///
    /// The requests can then be handed over to that process.
    private func carryOut(_ outcome: TaskHandover.Outcome, _ run: DownloadRun) async throws -> Bool {
        guard !outcome.remaining.isEmpty else {
            let status = max(outcome.status, run.display.end())
            if status != 0 { throw ExitCode(status) }
            return true
        }
        let held: DownloadRun.HeldFolder
        do throws(DownloadError) {
            held = try await run.open()
        } catch {
            if case .inUse = error, outcome.rest > .zero { return false }
            throw Self.failure("\(error)", status: 1)
        }
        try await run.carryOut(in: held, after: outcome.status) { _ in
            outcome.remaining.map { .success($0) }
        }
        return true
    }

    private func makeDisplay() -> any DownloadDisplay {
        if json { return JSONDisplay() }
        return quiet ? QuietDisplay() : DownloadRun.displayForPeople(to)
    }

    /// The requests of all URLs.
    private func requests() throws -> [DownloadRequest] {
        var all = urls
        if let from { all += try Self.lines(of: from) }
        guard !all.isEmpty else { throw ValidationError("A URL is missing") }
        if all.count > 1, choice.id != nil { throw ValidationError("--id is for one URL") }
        return try all.map { try choice.request(for: $0, fetching) }
    }

    private static func lines(of file: String) throws -> [String] {
        try InputFile.text(of: file, option: "--from").split(whereSeparator: \.isNewline).map {
            $0.trimmingCharacters(in: .whitespaces)
        }.filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }

    /// Refuses an empty name, which a shell makes of a variable that is not set, and what is no folder.
    static func checkFolder(_ folder: String, _ argument: String) throws {
        if folder.isEmpty { throw ValidationError("\(argument): the name of the folder is empty") }
        let files = FileManager.default
        guard files.fileExists(atPath: folder), !files.fileExists(atPath: "\(folder)/.") else { return }
        throw ValidationError("\(argument): \(PrintableText.line(folder)) is not a folder")
    }

    /// Wrong arguments end with status 2.
    static func checkingArguments<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as ValidationError {
            throw failure(error.message, status: 2)
        } catch {
            throw failure("\(error)", status: 2)
        }
    }

    /// Prints an error and gives the status to end with.
    static func failure(_ text: String, status: Int32) -> ExitCode {
        printError(text)
        return ExitCode(status)
    }

    /// Prints an error, which may have words of a server.
    static func printError(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let printed = lines.map { PrintableText.line(String($0)) }.joined(separator: "\n")
        try? FileHandle.standardError.write(contentsOf: Data("Error: \(printed)\n".utf8))
    }

    /// Writes to standard output.
    static func output(_ bytes: [UInt8]) throws(DownloadError) {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(bytes))
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            throw .system(.write, path: "standard output", number: Int32(cause?.code ?? Int(EIO)))
        }
    }
}
