import Foundation
import Testing

/// A program that a test needs; one that is missing fails the test.
final class ChildProgram {
    private let process = Process()
    private let exits: AsyncStream<Int32>

    /// Starts the program.
    ///
    /// Files, not pipes: another child that is started meanwhile would hold a pipe open.
    init(
        _ path: String, _ arguments: [String], input: FileHandle = .nullDevice,
        output: FileHandle = .nullDevice
    ) throws {
        let (exits, continuation) = AsyncStream<Int32>.makeStream()
        self.exits = exits
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { continuation.yield($0.terminationStatus) }
        try process.run()
    }

    var isRunning: Bool { process.isRunning }

    /// Kills the program: a child of a pool thread inherits its blocked signals, SIGTERM among them.
    func stop() { kill(process.processIdentifier, SIGKILL) }

    /// Returns its status when it has ended, without holding a thread.
    func exit() async -> Int32? {
        var iterator = exits.makeAsyncIterator()
        return await iterator.next()
    }
}

/// The output of a program that is to end well.
func output(of program: String, _ arguments: [String], input: [UInt8] = []) async throws -> [UInt8] {
    try await withFolder { folder in
        let (given, made) = (folder.appending(path: "input"), folder.appending(path: "output"))
        try Data(input).write(to: given)
        try Data().write(to: made)
        let child = try ChildProgram(
            program, arguments, input: FileHandle(forReadingFrom: given),
            output: FileHandle(forWritingTo: made))
        try #require(await child.exit() == 0)
        return [UInt8](try Data(contentsOf: made))
    }
}

/// Runs the body with a folder of its own, which is gone afterwards.
func withFolder<Value: Sendable>(_ body: (URL) async throws -> Value) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory
        .appending(path: "backcast-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}
