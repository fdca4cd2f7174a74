import Dispatch
import Foundation
import Glibc
import Synchronization

/// One run of ffmpeg.
///
/// A thread of its own starts it and waits for it: the kernel kills the child when the thread that started it
/// has ended (PR_SET_PDEATHSIG), and this thread lives exactly as long as the child or the origin.
final class EncoderProcess: Sendable {
    private struct State {
        var process: Process?
        var isStopped = false
    }

    private let state = Mutex(State())

    /// Runs ffmpeg and returns its status; a cancelled task stops it.
    func run(_ arguments: [String]) async throws -> Int32 {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let thread = Thread { [self] in
                    continuation.resume(with: Result { try wait(for: arguments) })
                }
                thread.name = "encoder"
                thread.start()
            }
        } onCancel: {
            stop()
        }
    }

    /// Asks the encoder to end, and kills it if it does not; one that has not started will not start.
    func stop() {
        end(with: SIGTERM)
        DispatchQueue.global().asyncAfter(deadline: .now() + Limits.encoderEndSeconds) { [self] in
            end(with: SIGKILL)
        }
    }

    private func end(with signal: Int32) {
        state.withLock { state in
            state.isStopped = true
            if let process = state.process, process.isRunning { kill(process.processIdentifier, signal) }
        }
    }

    /// A child inherits the thread's mask, and with SIGTERM blocked it could not be asked to end.
    private static func unblockSignals() {
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
    }

    private func wait(for arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["setpriv", "--pdeathsig", "KILL", "ffmpeg"] + arguments
        process.standardInput = FileHandle.nullDevice
        Self.unblockSignals()
        let isStarted = try state.withLock { state in
            guard !state.isStopped else { return false }
            try process.run()
            state.process = process
            return true
        }
        guard isStarted else { return 0 }
        process.waitUntilExit()
        return process.terminationStatus
    }
}
