import Foundation

/// Another program, run to its end without blocking a thread of Swift's pool.
package enum Command {
    /// Runs a program; what it printed on both outputs, or a failure with its last words.
    ///
    /// The output goes through a file: a server that the program leaves behind keeps no pipe of ours open.
    @discardableResult
    package static func run(
        _ program: String, _ arguments: [String], in folder: String = "/"
    ) async throws -> String {
        let scratch = try TemporaryFolder("output")
        let output = try scratch.write("", to: "output")
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: folder)
        let handle = FileHandle(forWritingAtPath: output)
        (process.standardInput, process.standardOutput, process.standardError) = (
            FileHandle.nullDevice, handle, handle
        )
        let status = try await exitStatus(of: process)
        let text = try String(contentsOfFile: output, encoding: .utf8)
        guard status == 0 else { throw TestFailure("\(program) ended with \(status): \(text.suffix(2_000))") }
        return text
    }

    private static func exitStatus(of process: Process) async throws -> Int32 {
        try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
    }
}
