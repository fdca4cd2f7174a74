import Foundation
import Synchronization
import TestSupport

/// One run of a program, ended by its process id.
///
/// A thread of its own starts it and waits for it: the kernel kills the child when that thread is gone
/// (PR_SET_PDEATHSIG), so nothing outlives a test process that is itself killed.
final class Program: Sendable {
    private struct State {
        var identifier: pid_t?
        var status: Int32?
        var failure: TestFailure?
    }

    let log: String
    private let state = Mutex(State())

    /// Starts a program; both outputs are appended to the log, the environment is ours with some settings
    /// more.
    init(_ path: String, _ arguments: [String], log: String, environment: [String: String] = [:]) {
        self.log = log
        let command = ["/usr/bin/setpriv", "--pdeathsig", "KILL", path] + arguments
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let thread = Thread { [self] in
            run(command, variables.map { "\($0)=\($1)" })
        }
        thread.name = "program"
        thread.start()
    }

    /// Nil while it runs; its exit status, or 128 and the signal that ended it.
    var exitStatus: Int32? {
        get throws {
            let (status, failure) = state.withLock { ($0.status, $0.failure) }
            if let failure { throw failure }
            return status
        }
    }

    /// What it has printed so far.
    var output: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    /// Sends a signal if it still runs; the id cannot have been given to another process meanwhile.
    func send(_ signal: Int32) {
        state.withLock { state in
            guard let identifier = state.identifier, state.status == nil else { return }
            kill(identifier, signal)
        }
    }

    /// Sends a signal and waits for the end; how it ended.
    @discardableResult
    func end(_ signal: Int32, within limit: Duration = .seconds(60)) async throws -> Int32 {
        try await waitFor("a process id") { try exitStatus ?? state.withLock { $0.identifier } }
        send(signal)
        return try await waitFor("the end of \(log)", within: limit) { try exitStatus }
    }

    private func run(_ command: [String], _ variables: [String]) {
        do {
            let identifier = try SpawnedChild.start(command, variables: variables, output: log)
            state.withLock { $0.identifier = identifier }
            var information = siginfo_t()
            while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) == -1 && errno == EINTR {}
            state.withLock { $0.status = SpawnedChild.reap(identifier) }
        } catch {
            state.withLock { $0.failure = TestFailure("\(command) does not start: \(error)") }
        }
    }
}
