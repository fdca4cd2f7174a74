import Foundation
import FoundationNetworking
import Glibc
import Testing

/// The executable as a child process, beside the test bundle.
final class ProgramBench: Sendable {
    let process: Process
    let root: String
    /// Keeps the pipe's reading end open for as long as the program may write.
    private let output: Pipe

    /// Starts the program and waits for its first line, which names the first channel's URL.
    init(_ arguments: [String]) throws {
        let process = Process()
        let output = Pipe()
        let folder = URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
        process.executableURL = folder.appendingPathComponent("live-origin")
        process.arguments = arguments
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        self.process = process
        self.output = output
        var line = ""
        while !line.hasSuffix("\n"), let data = try output.fileHandleForReading.read(upToCount: 1) {
            line += String(decoding: data, as: UTF8.self)
        }
        let words = line.split(whereSeparator: \.isWhitespace)
        try #require(words.first == "Ready:" && words.count > 1, "first line: \(line)")
        let url = String(words[1])
        root = url.split(separator: "/").prefix(2).joined(separator: "//")
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    func get(_ path: String) async throws -> (status: Int, body: [UInt8]) {
        let url = try #require(URL(string: root + path))
        let (data, response) = try await URLSession.shared.data(from: url)
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, Array(data))
    }

    /// Process ids of the children, of every thread.
    func children() -> [Int32] {
        let tasks = "/proc/\(process.processIdentifier)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.flatMap { thread in
            let text = try? String(contentsOfFile: "\(tasks)/\(thread)/children", encoding: .utf8)
            return (text ?? "").split(separator: " ").compactMap { Int32($0) }
        }
    }

    func end(with signal: Int32) -> Int32 {
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        return process.terminationStatus
    }
}

/// Whether a process runs: neither gone nor waiting to be collected.
func isAlive(_ processID: Int32) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8) else {
        return false
    }
    return text.split(separator: ")").last?.split(separator: " ").first != "Z"
}
