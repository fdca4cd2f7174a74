import Foundation

/// Another program, run to its end without blocking a thread of Swift's pool.
package enum Command {
    /// Runs a program; what it printed on both outputs, or a failure with its last words.
    @discardableResult
    package static func run(
        _ program: String, _ arguments: [String], in folder: String = "/"
    ) async throws -> String {
        let scratch = try TemporaryFolder("output")
        let output = try scratch.write("", to: "output")
        let status = try await ChildProcess(program, arguments, in: folder, output: output).exitStatus()
        let text = try String(contentsOfFile: output, encoding: .utf8)
        guard status == 0 else { throw TestFailure("\(program) ended with \(status): \(text.suffix(2_000))") }
        return text
    }
}
