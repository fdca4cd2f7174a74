import Foundation
import Glibc
import Synchronization

/// One run of another program: started without a shell, with bounds, and ended with this process.
///
/// A thread of its own starts it and waits for it: the kernel kills the child when the thread that started it
/// has ended (PR_SET_PDEATHSIG), and this thread lives exactly as long as the child.
package final class ChildProgram: Sendable {
    private struct State {
        var process: Process?
        var isStopped = false
    }

    private let state = Mutex(State())
    private let arguments: [String]
    private let folder: String

    private init(_ arguments: [String], in folder: String) {
        self.arguments = arguments
        self.folder = folder
    }

    /// Runs a program in a folder to its end; cancelling the task kills it.
    ///
    /// What it prints on standard error is its reason when it fails; everything else it prints is dropped.
    package static func run(
        _ name: String, _ arguments: [String], in folder: String, bounds: ProgramBounds,
    ) async throws(ProgramFailure) {
        let bounded = ["setpriv", "--pdeathsig", "KILL", "prlimit"] + bounds.arguments + [name] + arguments
        let child = ChildProgram(bounded, in: folder)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let thread = Thread { continuation.resume(returning: Result(catching: child.wait)) }
                thread.name = "child"
                thread.start()
            }
        } onCancel: {
            child.stop()
        }
        if Task.isCancelled { throw .cancelled }
        let (status, words) = try result.get()
        guard status != Self.notFound else { throw .missing(name) }
        guard status == 0 else { throw .failed(name, status: status, words: words) }
    }

    /// The status with which `env` and `prlimit` say that a program is not there.
    private static let notFound: Int32 = 127

    private func stop() {
        state.withLock { state in
            state.isStopped = true
            if let process = state.process, process.isRunning { kill(process.processIdentifier, SIGKILL) }
        }
    }

    /// Starts the program and waits for its end; its status and the last of what it said.
    private func wait() throws(ProgramFailure) -> (status: Int32, words: String) {
        let (process, errors) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: folder)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        Self.unblockSignals()
        do {
            let isStarted = try state.withLock { state in
                guard !state.isStopped else { return false }
                try process.run()
                state.process = process
                return true
            }
            guard isStarted else { throw ProgramFailure.cancelled }
        } catch let error as ProgramFailure {
            throw error
        } catch {
            throw .unstartable("\(error)")
        }
        var words = Data()
        while true {
            let piece = errors.fileHandleForReading.availableData
            if piece.isEmpty { break }
            words = Data((words + piece).suffix(Limits.wordBytes))
        }
        process.waitUntilExit()
        let isSignal = process.terminationReason == .uncaughtSignal
        let status = isSignal ? 128 + process.terminationStatus : process.terminationStatus
        return (status, String(decoding: words, as: UTF8.self))
    }

    /// A child inherits the thread's mask.
    private static func unblockSignals() {
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
    }
}
